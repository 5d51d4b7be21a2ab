import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { alertScenario } from '../app/alerting/testing.ts'
import { connectPostgres } from '../stores/postgres/connect.ts'
import { migratePostgres } from '../stores/postgres/migrate.ts'

const batchMs = 2_000

/** An account whose alerts a version sends that does not record whom it told, until `upgrade`. */
const earlierVersion = async () => {
  const database = await createTestDatabase()
  const sql = connectPostgres(database.url, { connectionsMax: 2 })
  onTestFinished(async () => {
    await sql.end()
    await database.close()
  })
  await sql`drop trigger record_alerted_checks on alert_messages`
  await sql`drop function record_alerted_checks`
  await sql`delete from migrations where name = '0150-told-before.sql'`
  const game = alertScenario(sql)
  const accountId = await game.account()
  const channelId = await game.channel(accountId)
  await game.rule(accountId)
  const settle = async (): Promise<void> => {
    await game.act()
    game.pass(batchMs)
    await game.act()
  }
  const receivedBy = async (id: string): Promise<string[]> =>
    (await game.deliveries(accountId)).flatMap((each) =>
      each.channelId === id ? [String(each.message.event)] : [],
    )
  return { sql, game, accountId, channelId, settle, receivedBy, upgrade: () => migratePostgres(sql) }
}

test('the recovery of an alert that an earlier version sent goes to those whom that version told', async () => {
  const { sql, game, accountId, channelId, settle, receivedBy, upgrade } = await earlierVersion()
  const checks = await game.checks(accountId, ['shop'])
  await game.flip(checks, 'down')
  await settle()
  expect(await sql`select from alerted_checks`).toHaveLength(0)
  await upgrade()
  const late = await game.channel(accountId)
  game.pass(60_000)
  await game.flip(checks, 'operational')
  await settle()
  expect(await receivedBy(channelId)).toEqual(['alert', 'recovery'])
  expect(await receivedBy(late)).toEqual([])
})

test('the recoveries of a digest that an earlier version sent go to its receivers', async () => {
  const { game, accountId, channelId, settle, receivedBy, upgrade } = await earlierVersion()
  const names = Array.from({ length: 8 }, (_, n) => `shop ${n}`)
  const checks = await game.checks(accountId, names)
  await game.flip(checks, 'down')
  await settle()
  expect(await receivedBy(channelId)).toEqual(['digest'])
  await upgrade()
  game.pass(120_000)
  await game.flip(checks, 'operational')
  await settle()
  // one message that all have recovered
  expect(await receivedBy(channelId)).toEqual(['digest', 'recovery'])
})

test('an alert that waits for its receiver in an upgrade gets its recovery', async () => {
  const { game, accountId, channelId, settle, receivedBy, upgrade } = await earlierVersion()
  const checks = await game.checks(accountId, ['shop'])
  await game.flip(checks, 'down')
  await game.act()
  await upgrade()
  await settle()
  game.pass(60_000)
  await game.flip(checks, 'operational')
  await settle()
  expect(await receivedBy(channelId)).toEqual(['alert', 'recovery'])
})

test('an upgrade records each alert once, with its check, its delivery and the begin of its outage', async () => {
  const { sql, game, accountId, settle, upgrade } = await earlierVersion()
  const [checkId = ''] = await game.checks(accountId, ['shop'])
  await game.flip([checkId], 'down')
  const since = new Date(game.clock.nowMs)
  await settle()
  game.pass(3_600_000)
  await settle()
  await upgrade()
  const rows = await sql`
    select check_id as "checkId", event, since, delivery_id is not null as "isCarried"
    from alerted_checks order by at`
  const common = { checkId, since, isCarried: true }
  expect([...rows]).toEqual([
    { ...common, event: 'alert' },
    { ...common, event: 'reminder' },
  ])
})
