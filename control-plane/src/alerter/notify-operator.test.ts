import type { MeshNotice } from '@probe-mesh/contracts/mesh/mesh'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { Registry } from 'prom-client'
import { beforeEach, expect, test, vi } from 'vitest'
import { startNoticeWatcher } from './notice-watcher.ts'
import { notifyOperator } from './notify-operator.ts'
import { alertScenario } from './testing.ts'

const sql = useTestSql({ role: 'probe_mesh_system' })
let game: ReturnType<typeof alertScenario>
let operators: string

const minute = 60_000

beforeEach(async () => {
  await sql`delete from accounts`
  await sql`delete from mesh_notices`
  game = alertScenario(sql)
  operators = await game.account()
  await sql`update accounts set is_operators = true where id = ${operators}`
})

const notice = (what: MeshNotice['what'], region = 'fra'): MeshNotice => ({
  region,
  what,
  since: new Date(game.clock.nowMs).toISOString(),
  text: `${region}: something is wrong`,
})
const look = (notices: readonly MeshNotice[], heard: readonly string[] = ['fra', 'iad']) =>
  notifyOperator(game.context, { notices, heard })
const titles = () => game.titles(operators)

test('notifies the operator, and no other account, once when a notice begins and once when it ends', async () => {
  const customer = await game.account()
  for (const accountId of [operators, customer]) {
    await game.rule(accountId)
    await game.channel(accountId)
  }
  const names = notice('names')
  await look([names])
  expect(await titles()).toEqual([])
  for (let looks = 0; looks < 4; looks++) {
    game.pass(minute)
    await look([names])
  }
  const [begun, ...more] = await game.deliveries(operators)
  expect(more).toEqual([])
  expect(begun?.message).toMatchObject({
    event: 'alert',
    title: 'fra: something is wrong',
    text: expect.stringMatching(/^Since 12:00 UTC, 20 Nov\. .*resolver/),
    url: 'https://mesh.example.org/dashboard/mesh',
    alertKey: 'mesh:fra:names',
  })
  for (let looks = 0; looks < 4; looks++) {
    game.pass(minute)
    await look([])
  }
  const [, over, ...others] = await game.deliveries(operators)
  expect(others).toEqual([])
  expect(over?.message).toMatchObject({
    event: 'recovery',
    title: 'Resolved: fra: something is wrong',
    text: 'Started at 12:00 UTC, 20 Nov, resolved after 7 min.',
    alertKey: begun?.message.alertKey,
  })
  expect(await game.titles(customer)).toEqual([])
})

test('sends one message when several control planes look at the same time', async () => {
  await game.rule(operators)
  await game.channel(operators)
  const quarantine = notice('quarantine')
  await Promise.all([1, 2, 3, 4].map(() => look([quarantine])))
  expect(await titles()).toEqual(['fra: something is wrong'])
})

test('ends no notice before any agent has reported', async () => {
  await game.rule(operators)
  await game.channel(operators)
  await look([{ ...notice('clock'), since: '2026-11-20T11:00:00.000Z' }])
  for (let looks = 0; looks < 10; looks++) {
    game.pass(minute)
    await look([], [])
  }
  expect(await titles()).toEqual(['fra: something is wrong'])
})

test('uses the enabled rules that cover all checks, with their channels and mail', async () => {
  await sql`insert into users (id, account_id, email, password_hash, created_at)
    values (${uuidv7(game.clock.nowMs)}, ${operators}, 'op@example.org', '', now())`
  const [checkId = ''] = await game.checks(operators, ['shop'])
  await game.rule(operators, { enabled: false })
  await game.rule(operators, { checkIds: [checkId] })
  const unused = await game.channel(operators)
  await look([notice('quarantine')])
  expect(await game.deliveries(operators)).toEqual([])
  const used = await game.channel(operators)
  await game.rule(operators, { channelIds: [used], emailUsers: true })
  await game.rule(operators, { channelIds: [used] })
  await look([notice('quarantine', 'iad')])
  const receivers = (await game.deliveries(operators)).map(
    ({ channelId, recipient }) => channelId ?? recipient,
  )
  expect(receivers.toSorted()).toEqual([used, 'op@example.org'].toSorted())
  expect(receivers).not.toContain(unused)
})

test('shows a notice on the metrics of every control plane and sends it from one', async () => {
  await game.rule(operators)
  await game.channel(operators)
  const seen = { notices: [notice('quarantine')], heard: ['fra'] }
  const registry = new Registry()
  const looked = vi.fn(async () => seen)
  const watch = { look: looked, registry, isOurs: () => false }
  const other = startNoticeWatcher({ ...game.context, ...watch })
  await vi.waitFor(async () => {
    expect(await registry.metrics()).toContain('mesh_notices{region="fra",what="quarantine"} 1')
  })
  await other.close()
  expect(await titles()).toEqual([])
  const ours = { ...watch, registry: new Registry(), isOurs: () => true }
  const sender = startNoticeWatcher({ ...game.context, ...ours })
  await vi.waitFor(async () => expect(await titles()).toEqual(['fra: something is wrong']))
  await sender.close()
})
