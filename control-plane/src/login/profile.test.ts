import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useEach } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { alertScenario } from '../app/alerting/testing.ts'
import { useTestApp } from '../app/testing/test-app.ts'
import { asUser, loggedIn } from '../app/testing/log-in.ts'

const at = useTestApp()
const own = useEach(() => loggedIn(at))

const profile = async (by = own) => (await asUser(at, by, 'GET', '/profile')).json
const update = (body: object, by = own) => asUser(at, by, 'PATCH', '/profile', body)

describe("a member's own record", () => {
  test('has UTC and no name at first, and each is changed alone', async () => {
    const { email } = own
    expect(await profile()).toEqual({ email, name: null, timeZone: 'UTC', account: { timeZone: 'UTC' } })
    expect(await update({ name: 'Ada' })).toMatchObject({
      status: 200,
      json: { name: 'Ada', timeZone: 'UTC' },
    })
    expect(await update({ timeZone: 'Europe/Berlin' })).toMatchObject({ status: 200 })
    expect(await profile()).toMatchObject({
      name: 'Ada',
      timeZone: 'Europe/Berlin',
      account: { timeZone: 'UTC' },
    })
    expect((await asUser(at, own, 'GET', '/members')).json.members).toMatchObject([{ name: 'Ada' }])
    const { entries } = (await asUser(at, own, 'GET', '/audit-log')).json
    expect(entries[0]).toMatchObject({ action: 'updateProfile', resourceType: 'member', resourceId: email })
  })

  test('refuses what is no zone and no name, all at once, and keeps the record', async () => {
    const refused = await update({ name: ' ', timeZone: 'Mars/Olympus' })
    expect(refused).toMatchObject({ status: 422, json: { code: 'SV-2001' } })
    expect(refused.json.errors.map(({ path }: { path: string }) => path)).toEqual(['name', 'timeZone'])
    for (const timeZone of ['+02:00', '', 'UTC; drop', null]) {
      expect(await update({ timeZone })).toMatchObject({ status: 422 })
    }
    expect(await profile()).toMatchObject({ name: null, timeZone: 'UTC' })
  })

  test('is of this member only', async () => {
    const other = await loggedIn(at)
    const colleague = uuidv7(at.now())
    await at.sql`
      insert into users (id, account_id, email, password_hash, created_at)
      values (${colleague}, ${own.accountId}, ${`${colleague}@example.org`}, '', now())`
    await update({ name: 'Ada', timeZone: 'Asia/Tokyo' })
    await asUser(at, own, 'PATCH', '/account', { timeZone: 'Asia/Tokyo' })
    const [stored] = await at.sql`select name, time_zone from users where id = ${colleague}`
    expect(stored).toEqual({ name: null, time_zone: 'UTC' })
    expect(await profile(other)).toMatchObject({ name: null, timeZone: 'UTC', account: { timeZone: 'UTC' } })
  })
})

test("a message has the time of its reader: the member's zone in mail, the account's in a channel", async () => {
  const game = alertScenario(at.systemSql)
  await update({ timeZone: 'Europe/Berlin' })
  const changed = await asUser(at, own, 'PATCH', '/account', { timeZone: 'Asia/Tokyo' })
  expect(changed).toMatchObject({ status: 200, json: { account: { timeZone: 'Asia/Tokyo' } } })
  expect(await asUser(at, own, 'PATCH', '/account', { timeZone: 'Nowhere' })).toMatchObject({ status: 422 })
  await at.sql`update alert_rules set email_users = true where account_id = ${own.accountId}`
  await game.channel(own.accountId)
  const [check = ''] = await game.checks(own.accountId, ['shop'])
  await game.flip([check], 'down')
  await game.act()
  game.pass(60_000)
  await game.act()
  const deliveries = await game.deliveries(own.accountId)
  const mail = deliveries.find(({ recipient }) => recipient !== null)
  const sent = deliveries.find(({ channelId }) => channelId !== null)
  expect(mail?.message.text).toContain('Since 13:00 CET, 20 Nov.')
  expect(sent?.message.text).toContain('Since 21:00 UTC+9, 20 Nov.')
  expect(sent?.message.at).toBe('2026-11-20T12:00:00.000Z')
  expect(sent?.message.facts).toContainEqual({
    name: 'Since',
    value: '21:00 UTC+9, 20 Nov',
    at: '2026-11-20T12:00:00.000Z',
  })
})
