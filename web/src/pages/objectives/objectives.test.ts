import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { insertHistories } from '@probe-mesh/control-plane/src/objectives/testing/insert-objective'
import { insertReadings } from '@probe-mesh/control-plane/src/readings/insert-readings'
import { readingAt } from '@probe-mesh/control-plane/src/status/testing'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { afterAll, expect, test } from 'vitest'
import { useTestWeb, type Member } from '../../testing/test-web.ts'

const clickhouse = useTestClickHouse()
const web = useTestWeb(() => ({ clickhouseUrl: clickhouse.url }))
afterAll(async () => {
  await web?.close()
  await clickhouse?.close()
})

const path = '/dashboard/objectives'
const fields = { name: 'Checkout', target: '99', windowDays: '30', checkId: '', tag: '', alertRuleId: '' }

/** A check with the tag `shop` and 99 probes up and one down, two hours ago. */
const measuredCheck = async (
  { accountId }: Member,
  { ageMinutes = 144_000, everySeconds = 14_400 } = {},
): Promise<string> => {
  const id = crypto.randomUUID()
  await web.at.sql`
    insert into checks (id, account_id, type, name, interval_seconds, regions, all_regions, config, tags, valid_from,
      created_at, updated_at)
    values (${id}, ${accountId}, 'http', 'Cart', 60, '{fra}', false, '{}', '{shop}', now(), now(), now())`
  // due every four hours, so that all of 30 days is measured
  await insertHistories(web.at.sql, [id], Date.now() - ageMinutes * 60_000, everySeconds)
  const atMs = Date.now() - 7_200_000
  const rows = Array.from({ length: 200 }, (_, index) => ({
    reading: readingAt('fra', index === 0 ? 'down' : 'up', atMs + index, { checkId: id }),
    agent: 'fra-1',
    receivedAtMs: atMs,
    rawDays: 90,
    hourDays: 800,
  }))
  const client = connectClickHouse(clickhouse.url)
  await insertReadings(client, rows, id)
  await client.close()
  return id
}

test('an objective is created, shown with its budget and burn rates, changed and deleted, without a script', async () => {
  const member = await web.member()
  expect((await member.get(path)).text).toContain('No objective yet')
  const checkId = await measuredCheck(member)
  expect((await member.get(`${path}/new`)).text).toContain('Cart')
  const { status, to } = await member.post(path, { ...fields, checkId })
  expect(status).toBe(303)
  const page = await member.get(to ?? '')
  for (const shown of [
    '99.500 % of 99 % in 30 days',
    '1 of 200',
    '50.0 %',
    '3.6 h of 7.2 h',
    '6h and 30m',
    '0.50',
  ]) {
    expect(page.text).toContain(shown)
  }
  expect(page.text).toContain('value="0.5"')
  expect((await member.get(path)).text).toMatch(
    /Checkout.*Met.*Cart.*99 % in 30 days.*reached 99\.500 %, measured 30\.0 days of 30 days.*50\.0 % left/,
  )
  const changed = { ...fields, name: 'Shop', target: '99,9', windowDays: '7', tag: 'shop' }
  expect(await member.post(to ?? '', changed)).toMatchObject({ status: 303, to })
  const after = (await member.get(to ?? '')).text
  for (const shown of ['Missed', '(1 check)', 'overspent by 400.0 %']) expect(after).toContain(shown)
  expect((await member.get(`${to}/delete`)).text).toContain('Delete objective')
  expect(await member.post(`${to}/delete`)).toMatchObject({ to: path })
  expect((await member.get(path)).text).toContain('No objective yet')
})

test('the receivers of an alert rule are chosen, and an open alert is shown', async () => {
  const member = await web.member()
  const checkId = await measuredCheck(member)
  const ruleId = crypto.randomUUID()
  await web.at.sql`
    insert into alert_rules (id, account_id, name, statuses, unconfirmed, certificate_days, domain_days, after_seconds,
      email_users, enabled, created_at, updated_at)
    values (${ruleId}, ${member.accountId}, 'On-call', '{down}', true, '{}', '{}', 0, false, false, now(), now())`
  expect((await member.get(`${path}/new`)).text).toContain('receivers of On-call, which is off')
  const { to } = await member.post(path, { ...fields, checkId, alertRuleId: ruleId })
  const before = (await member.get(to ?? '')).text
  expect(before).toContain(`<option value="${ruleId}" selected`)
  expect(before).toContain('none open')
  await web.at.sql`
    insert into burn_alerts (objective_id, pair, account_id, since)
    values (${to?.split('/').at(-1) ?? ''}, '6h', ${member.accountId}, '2026-11-20T12:00:00Z')`
  expect((await member.get(to ?? '')).text).toMatch(/6h and 30m.*open since.*2026-11-20T12:00/)
  expect((await member.get(path)).text).toContain('Alert open')
})

test('everything wrong is said at once, what was typed stays, and nothing is saved', async () => {
  const member = await web.member()
  const { status, text } = await member.post(path, { ...fields, name: '', target: 'much', windowDays: '31' })
  expect(status).toBe(422)
  for (const field of ['name', 'target', 'windowDays']) expect(text).toContain(`id="field-${field}-problem"`)
  expect(text).toContain('value="much"')
  const without = await member.post(path, fields)
  expect([without.status, without.text]).toEqual([
    422,
    expect.stringContaining('name either a check or a tag'),
  ])
  expect((await member.get(path)).text).toContain('No objective yet')
})

test('pages of another account and of no objective are missing', async () => {
  const member = await web.member()
  const { to } = await member.post(path, { ...fields, tag: 'shop' })
  const other = await web.member()
  for (const missing of [to ?? '', `${to}/delete`, `${path}/${crypto.randomUUID()}`]) {
    expect((await other.get(missing)).status).toBe(404)
  }
  expect((await other.post(to ?? '', { ...fields, tag: 'shop' })).status).toBe(404)
  expect((await member.get(to ?? '')).text).toContain('No probes')
})

test('an objective of a new check says how much was measured, and spends only that', async () => {
  const member = await web.member()
  const checkId = await measuredCheck(member, { ageMinutes: 125, everySeconds: 3_600 })
  const { to } = await member.post(path, { ...fields, checkId, target: '99.9' })
  const page = (await member.get(to ?? '')).text
  for (const shown of ['Met so far', '2.1 h of 30 days', 'not known over 3d', 'not known over 6h']) {
    expect(page).toContain(shown)
  }
  expect(page).not.toContain('overspent')
})

test('a pair that a full outage cannot reach is said to never burn, in the form and on the page', async () => {
  const member = await web.member()
  expect((await member.get(`${path}/new`)).text).toContain('Below 93.06 a full outage burns slower than 14.4')
  const { to } = await member.post(path, { ...fields, target: '90', tag: 'shop' })
  const page = (await member.get(to ?? '')).text
  expect(page.match(/Never: a full outage burns slower/g)).toHaveLength(1)
})
