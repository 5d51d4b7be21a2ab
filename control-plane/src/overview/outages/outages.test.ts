import { Outages, OutageDetail } from '@probe-mesh/contracts/overview/outage-log'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { beforeEach, describe, expect, test } from 'vitest'
import { alertScenario, publishChecks } from '../../app/alerting/testing.ts'
import { useTestApp } from '../../app/testing/test-app.ts'
import { asUser, loggedIn, type TestUser } from '../../app/testing/log-in.ts'
import { recordDelivered } from '../../notifications/claimed-deliveries-store.ts'
import { insertReadings } from '../../readings/insert-readings.ts'
import { readingAt } from '../../status/testing.ts'
import { connectClickHouse } from '../../stores/clickhouse/connect.ts'

let user: TestUser
let game: ReturnType<typeof alertScenario>

const clickhouse = useTestClickHouse()
const at = useTestApp(() => ({ clickhouseUrl: clickhouse.url, config: { budgetScale: 1_000 } }))
beforeEach(async () => {
  at.hold()
  user = await loggedIn(at)
  await at.sql`delete from alert_rules where account_id = ${user.accountId}`
  game = alertScenario(at.systemSql)
  game.clock.nowMs = at.now()
})

/** Moves both clocks. */
const pass = (ms: number): void => {
  at.pass(ms)
  game.pass(ms)
}
const list = async (query = ''): Promise<Outages['outages']> =>
  Outages.parse((await asUser(at, user, 'GET', `/outages${query}`)).json).outages
const detail = async (id: string): Promise<OutageDetail> =>
  OutageDetail.parse((await asUser(at, user, 'GET', `/outages/${id}`)).json)
const only = async (name = 'shop'): Promise<string> => (await game.checks(user.accountId, [name]))[0] ?? ''

test('an outage of an unpublished check is in the log at once, open, with reason, regions and duration', async () => {
  const check = await only()
  await game.flip([check], 'operational')
  pass(60_000)
  await game.flip([check], 'down', { reason: 'expected 200-299, got 503' })
  pass(25_000)
  expect(await list()).toEqual([
    {
      id: expect.any(String),
      checkId: check,
      checkName: 'shop',
      checkType: 'http',
      startedAt: new Date(at.now() - 25_000).toISOString(),
      endedAt: null,
      status: 'down',
      durationSeconds: 25,
      unmeasuredSeconds: 0,
      reason: '2 of 2 regions fail (fra, iad): expected 200-299, got 503',
      regions: ['fra', 'iad'],
      incidentIds: [],
      alertsSent: 0,
      maintenance: false,
    },
  ])
  await game.flip([check], 'operational')
  pass(60_000)
  expect(await list()).toMatchObject([
    { endedAt: new Date(at.now() - 60_000).toISOString(), status: 'ended', durationSeconds: 25 },
  ])
})

test('its reason and regions are of when most regions saw it, and not of its first moment', async () => {
  const check = await only()
  await game.flip([check], 'operational')
  pass(60_000)
  await game.flip([check], 'down', { reason: 'HTTP 503' })
  const seen = (statusReason: string) =>
    at.systemSql`update check_states set status_reason = ${statusReason} where check_id = ${check}`
  const told = async () => (await list()).map(({ reason, regions }) => [reason, regions])
  await at.systemSql`update checks set regions = '{iad,sjc,fra,nrt}' where id = ${check}`
  const all = '4 of 4 regions fail (iad, sjc, fra, nrt): HTTP 503'
  await seen(all)
  expect(await told()).toEqual([[all, ['fra', 'iad', 'nrt', 'sjc']]])
  // while it recovers
  await seen('1 of 4 regions fail (nrt): HTTP 503')
  await seen('recovering (nrt): not yet two good readings in a row')
  await game.flip([check], 'operational')
  expect(await told()).toEqual([[all, ['fra', 'iad', 'nrt', 'sjc']]])
  pass(60_000)
  await game.flip([check], 'down', { reason: 'HTTP 500' })
  expect((await told())[0]?.[0]).toBe('2 of 2 regions fail (fra, iad): HTTP 500')
})

test('a check without recent readings is not down for longer', async () => {
  const check = await only()
  await game.flip([check], 'down')
  pass(3_600_000)
  const [outage] = await list()
  expect(outage).toMatchObject({ endedAt: null, status: 'unmeasured' })
  // two intervals of 60 s, two attempts and the delivery
  expect(outage?.durationSeconds).toBeLessThan(200)
  expect((outage?.durationSeconds ?? 0) + (outage?.unmeasuredSeconds ?? 0)).toBe(3_600)
})

test('silence within an outage does not split it, and is not counted', async () => {
  const check = await only()
  await game.flip([check], 'down')
  pass(60_000)
  await game.flip([check], 'stale')
  pass(60_000)
  await game.flip([check], 'down')
  pass(30_000)
  await game.flip([check], 'operational')
  const [outage, ...others] = await list()
  expect(others).toEqual([])
  expect(outage).toMatchObject({ durationSeconds: 90, unmeasuredSeconds: 60 })
  expect((await detail(outage?.id ?? '')).flips.map(({ to }) => to)).toEqual([
    'down',
    'stale',
    'down',
    'operational',
  ])
})

test('a pause ends an outage, and a failure after the resume is another one', async () => {
  const check = await only()
  await game.flip([check], 'down')
  pass(60_000)
  const pausedMs = at.now()
  await at.sql`
    update checks set paused = true, valid_from = ${new Date(pausedMs)} where id = ${check}`
  const ended = { status: 'ended', endedAt: new Date(pausedMs).toISOString(), durationSeconds: 60 }
  expect(await list()).toMatchObject([ended])
  // as the assessor records it
  await game.flip([check], 'stale')
  pass(3_600_000)
  expect(await list()).toMatchObject([ended])
  await at.sql`update checks set paused = false, valid_from = ${new Date(at.now())} where id = ${check}`
  expect(await list()).toMatchObject([ended])
  await game.flip([check], 'down')
  pass(30_000)
  expect(await list()).toMatchObject([{ status: 'down', durationSeconds: 30 }, ended])
})

test('a deleted check has no outages any more', async () => {
  const check = await only()
  await game.flip([check], 'down')
  const [outage] = await list()
  expect(await asUser(at, user, 'DELETE', `/checks/${check}`)).toMatchObject({ status: 200 })
  expect(await list()).toEqual([])
  expect(await asUser(at, user, 'GET', `/outages/${outage?.id}`)).toMatchObject({ status: 404 })
})

test('an outage names the incidents that were open for its check in it, and no others', async () => {
  const [shop = '', other = ''] = await game.checks(user.accountId, ['shop', 'other'])
  await publishChecks(at.sql, user.accountId, [shop, other])
  for (const check of [other, shop]) {
    await game.flip([check], 'down')
    await game.act()
    pass(30_000)
    await game.flip([check], 'operational')
    await game.act()
    // beyond the time in which a failure joins a resolved incident
    pass(48 * 3_600_000)
  }
  const incidents = await at.sql<{ id: string; check_id: string }[]>`
    select id, check_id from incidents where account_id = ${user.accountId}`
  expect(incidents).toHaveLength(2)
  for (const { id, check_id: checkId } of incidents) {
    expect(await list(`?checkId=${checkId}`)).toMatchObject([{ incidentIds: [id] }])
  }
})

test('an outage that began under announced maintenance is marked so', async () => {
  const [shop = '', other = ''] = await game.checks(user.accountId, ['shop', 'other'])
  const pageId = await publishChecks(at.sql, user.accountId, [shop])
  await at.sql`
    insert into maintenance_windows (id, account_id, status_page_id, title, body, starts_at, ends_at, whole_page,
      created_at)
    values (${uuidv7(at.now())}, ${user.accountId}, ${pageId}, 'Upgrade', 'We upgrade.',
      ${new Date(at.now() - 1_000)}, ${new Date(at.now() + 60_000)}, true, now())`
  await game.flip([shop, other], 'down')
  const found = await list()
  expect(found.map(({ checkName, maintenance }) => [checkName, maintenance]).toSorted()).toEqual([
    ['other', false],
    ['shop', true],
  ])
  pass(120_000)
  await game.flip([shop], 'operational')
  await game.flip([shop], 'down')
  expect(await list(`?checkId=${shop}`)).toMatchObject([{ maintenance: false }, { maintenance: true }])
})

describe('messages', () => {
  const deliver = async (): Promise<void> => {
    for (const { id } of await at.sql<{ id: string }[]>`
      select id from deliveries where account_id = ${user.accountId} and state = 'pending'`) {
      await recordDelivered(at.systemSql, id, false, at.now())
    }
  }

  test('and what members did with them are listed with the outage in which they did it', async () => {
    await game.rule(user.accountId)
    const check = await only()
    const openId = async (): Promise<string> =>
      (await asUser(at, user, 'GET', `/alerts?checkId=${check}`)).json.alerts[0].id
    await game.flip([check], 'down')
    await game.act()
    pass(1_000)
    const acknowledgedAt = new Date(at.now()).toISOString()
    await asUser(at, user, 'POST', `/alerts/${await openId()}/acknowledge`)
    pass(1_000)
    await game.flip([check], 'operational')
    pass(1_000)
    await game.flip([check], 'down')
    await game.act()
    pass(1_000)
    const until = new Date(at.now() + 3_600_000).toISOString()
    await asUser(at, user, 'POST', `/alerts/${await openId()}/snooze`, { until })
    const [second, first] = await list()
    expect((await detail(first?.id ?? '')).acts).toEqual([
      { kind: 'acknowledge', by: user.email, at: acknowledgedAt, until: null },
    ])
    expect((await detail(second?.id ?? '')).acts).toMatchObject([{ kind: 'snooze', until }])
  })

  test('count once delivered, and are listed with their receiver and state', async () => {
    await game.channel(user.accountId)
    await game.rule(user.accountId)
    const check = await only()
    await game.flip([check], 'down')
    await game.act()
    pass(2_000)
    await game.act()
    const [open] = await list()
    expect(open).toMatchObject({ alertsSent: 0 })
    expect((await detail(open?.id ?? '')).alerts).toMatchObject([
      { event: 'alert', state: 'pending', receiver: 'hook', kind: 'channel', deliveredAt: null },
    ])
    await deliver()
    pass(60_000)
    await game.flip([check], 'operational')
    await game.act()
    pass(2_000)
    await game.act()
    await deliver()
    const [ended] = await list()
    expect(ended).toMatchObject({ alertsSent: 2 })
    const { alerts } = await detail(ended?.id ?? '')
    expect(alerts.map(({ event, state }) => [event, state])).toEqual([
      ['alert', 'delivered'],
      ['recovery', 'delivered'],
    ])
    await at.sql`delete from deliveries where account_id = ${user.accountId}`
    expect(await list()).toMatchObject([{ alertsSent: 2 }])
    expect((await detail(ended?.id ?? '')).alerts).toMatchObject([{ state: null }, { state: null }])
  })

  test('belong to the outage that they were about, of several of one check', async () => {
    await game.channel(user.accountId)
    await game.rule(user.accountId)
    const check = await only()
    for (let n = 0; n < 2; n++) {
      await game.flip([check], 'down')
      await game.act()
      pass(10_000)
      await game.act()
      await game.flip([check], 'operational')
      await game.act()
      pass(10_000)
      await game.act()
    }
    await deliver()
    expect((await list()).map(({ alertsSent }) => alertsSent)).toEqual([2, 2])
  })

  test('of a digest count for each of its checks', async () => {
    await game.channel(user.accountId)
    await game.rule(user.accountId)
    const names = Array.from({ length: 12 }, (_, n) => `check ${n}`)
    await game.flip(await game.checks(user.accountId, names), 'down')
    await game.act()
    pass(20_000)
    await game.act()
    await deliver()
    expect(await game.deliveries(user.accountId)).toHaveLength(1)
    expect((await list()).map(({ alertsSent }) => alertsSent)).toEqual(names.map(() => 1))
  })
})

test('one outage has the newest reading of each region up to its begin', async () => {
  const check = await only()
  const beganMs = at.now()
  const client = connectClickHouse(clickhouse.url)
  const measured = [
    ['fra', 'up', -70_000],
    ['fra', 'down', -10_000],
    ['iad', 'down', 0],
    ['iad', 'up', 30_000],
    ['nrt', 'up', -3_600_000],
  ] as const
  await insertReadings(
    client,
    measured.map(([region, verdict, afterMs]) => ({
      reading: readingAt(region, verdict, beganMs + afterMs, { checkId: check }),
      agent: `${region}-1`,
      receivedAtMs: beganMs,
      rawDays: 30,
      hourDays: 400,
    })),
    crypto.randomUUID(),
  )
  await client.close()
  await game.flip([check], 'down')
  pass(60_000)
  const [outage] = await list()
  const { readings } = await detail(outage?.id ?? '')
  expect(
    readings?.map(({ region, verdict, measuredAt }) => [region, verdict, Date.parse(measuredAt)]),
  ).toEqual([
    ['fra', 'down', beganMs - 10_000],
    ['iad', 'down', beganMs],
  ])
})

test.each(['cursor=x', 'limit=0', 'limit=201', 'open=yes', 'from=now', 'more=1'])(
  'refuses "%s"',
  async (query) => {
    expect(await asUser(at, user, 'GET', `/outages?${query}`)).toMatchObject({
      status: 422,
      json: { code: 'SV-2001' },
    })
  },
)

test('contains nothing of another account', async () => {
  await game.flip([await only()], 'down')
  const [outage] = await list()
  user = await loggedIn(at)
  expect(await list()).toEqual([])
  expect(await asUser(at, user, 'GET', `/outages/${outage?.id}`)).toMatchObject({
    status: 404,
    json: { code: 'SV-3001' },
  })
})
