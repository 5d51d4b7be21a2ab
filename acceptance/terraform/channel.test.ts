import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { expectOk, flat, openStage, startPlane, type Stage } from './testing/stage.ts'

/** `service_notification_channel` under the real Terraform. */

const patience = { timeout: 120_000 }
let own: Stage
const plane = useOnce(() => startPlane())
afterAll(() => plane?.at.close())
beforeEach(async () => {
  own = await openStage(plane)
  return () => own.close()
})

const channel = (secret: string, name = 'Ops'): string => `resource "service_notification_channel" "ops" {
  type = "json"
  name = "${name}"
  config = { url = "https://hooks.example.com/mesh", secret = "${secret}" }
}
`
const secret = 'sixteen characters or more'
const listed = async () => (await own.api('GET', '/notification-channels')).notificationChannels

test(
  'a channel is created, changed in place and destroyed, and its credential is never shown',
  patience,
  async () => {
    const ran = await own.apply(channel(secret))
    expectOk(ran)
    expect(flat(ran)).not.toContain(secret)
    const [created] = await listed()
    expect(created).toMatchObject({ type: 'json', name: 'Ops', verified: false })
    await own.expectNothingToDo()
    expectOk(await own.apply(channel(`${secret}, changed`, 'Ops at night')))
    expect(await listed()).toMatchObject([{ id: created.id, name: 'Ops at night' }])
    await own.expectNothingToDo()
    expectOk(await own.terraform('destroy', '-auto-approve'))
    expect(await listed()).toEqual([])
  },
)

test('an imported channel needs exactly one in-place update', patience, async () => {
  const { id } = await own.api('POST', '/notification-channels', {
    type: 'json',
    name: 'Ops',
    config: { url: 'https://hooks.example.com/mesh', secret },
  })
  await own.plan(channel(secret))
  expectOk(await own.terraform('import', 'service_notification_channel.ops', id))
  const ran = await own.apply(channel(secret))
  expectOk(ran)
  expect(ran.out).toContain('0 added, 1 changed, 0 destroyed')
  await own.expectNothingToDo()
})

test('an unknown config of a type is refused at config', patience, async () => {
  const ran = await own.apply(`resource "service_notification_channel" "ops" {
  type = "discord"
  name = "Ops"
  config = { webhook = "https://discord.example.com/api" }
}
`)
  expect(ran.exitCode).toBe(1)
  expect(flat(ran)).toContain('config')
  expect(await listed()).toEqual([])
})

test('config_wo is sent, sent again with another version, and never stored', patience, async () => {
  const written = (host: string, version: number): string => `resource "service_notification_channel" "ops" {
  type = "json"
  name = "Ops"
  config_wo = { url = "https://${host}.example.com/", secret = "${secret}" }
  config_wo_version = ${version}
}
`
  const stored = async (): Promise<string> =>
    (await own.terraform('show', '-json')).out + (await own.terraform('state', 'pull')).out
  expectOk(await own.apply(written('one', 1)))
  const [created] = await listed()
  expect(JSON.stringify(created.configSummary)).toContain('one.example.com')
  expect(await stored()).not.toContain(secret)
  await own.expectNothingToDo()
  expectOk(await own.apply(written('two', 1)))
  expect(JSON.stringify(await listed())).toContain('one.example.com')
  expectOk(await own.apply(written('two', 2)))
  const [changed] = await listed()
  expect(changed.id).toBe(created.id)
  expect(JSON.stringify(changed.configSummary)).toContain('two.example.com')
  // from one to the other and back, in place
  expectOk(await own.apply(channel(secret)))
  expect(await stored()).toContain(secret)
  expectOk(await own.apply(written('two', 3)))
  expect(await stored()).not.toContain(secret)
  expect(await listed()).toMatchObject([{ id: created.id }])
  await own.expectNothingToDo()

  const refused = await own.apply(
    written('two', 4).replace('https://two.example.com/', 'http://169.254.169.254/'),
  )
  expect(refused.exitCode).toBe(1)
  expect(flat(refused)).toContain('config_wo')
})

test('a new channel needs config or config_wo', patience, async () => {
  const ran = await own.plan(
    'resource "service_notification_channel" "ops" {\n  type = "json"\n  name = "Ops"\n}\n',
  )
  expect(ran.exitCode).toBe(1)
  expect(flat(ran)).toContain('set config, or config_wo')
})
