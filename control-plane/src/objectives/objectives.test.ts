import { latencyChecksMax, windowDays, type Objective } from '@probe-mesh/contracts/objective/objective'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import fc from 'fast-check'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { beforeEach, describe, expect, test } from 'vitest'
import { parseMetrics } from '../account-metrics/testing.ts'
import { useTestApp, startTestApp } from '../app/testing/test-app.ts'
import { asUser, loggedIn, type TestUser } from '../app/testing/log-in.ts'
import { insertReadings } from '../readings/insert-readings.ts'
import { readingAt } from '../status/testing.ts'
import { connectClickHouse } from '../stores/clickhouse/connect.ts'
import { probeCountsOf } from './probe-counts-query.ts'
import { insertHistories } from './testing/insert-objective.ts'

const minuteMs = 60_000
const hourMs = 3_600_000

let user: TestUser
const clickhouse = useTestClickHouse()
const at = useTestApp(() => ({ clickhouseUrl: clickhouse.url, config: { budgetScale: 1_000 } }))
beforeEach(async () => {
  user = await loggedIn(at)
})

type Probe = {
  agoMs: number
  verdict: 'up' | 'down' | 'blocked' | 'unmeasured'
  region?: string
  latencyMs?: number | null
  kind?: 'scheduled' | 'confirmation'
}

const insertProbes = async (checkId: string, probes: readonly Probe[], nowMs: number): Promise<void> => {
  const client = connectClickHouse(clickhouse.url)
  const rows = probes.map(
    ({ agoMs, verdict, kind = 'scheduled', latencyMs = 100, region = 'fra' }, number) => ({
      reading: readingAt(region, verdict, nowMs - agoMs, { checkId, kind, number, latencyMs }),
      agent: 'fra-1',
      receivedAtMs: nowMs,
      rawDays: 90,
      hourDays: 800,
    }),
  )
  await insertReadings(client, rows, crypto.randomUUID())
  await client.close()
}

const insertCheck = async (
  more: {
    type?: string
    tags?: string[]
    accountId?: string
    everySeconds?: number
    dueSinceMs?: number
  } = {},
): Promise<string> => {
  const id = uuidv7(at.now())
  const {
    type = 'http',
    tags = [],
    accountId = user.accountId,
    everySeconds = 60,
    dueSinceMs = at.now() - 100 * 24 * hourMs,
  } = more
  await at.sql`
    insert into checks (id, account_id, type, name, interval_seconds, regions, all_regions, config, tags, valid_from,
      created_at, updated_at)
    values (${id}, ${accountId}, ${type}, 'Shop', 60, '{fra}', false, ${at.sql.json({ type: 'unknown' })}, ${tags},
      now(), now(), now())`
  await insertHistories(at.sql, [id], dueSinceMs, everySeconds)
  return id
}

const fields = { name: 'Checkout', target: 99, windowDays: 30 }
const create = (body: object) => asUser(at, user, 'POST', '/objectives', { ...fields, ...body })
const list = async (): Promise<Objective[]> => (await asUser(at, user, 'GET', '/objectives')).json.objectives

test('counts the judged scheduled probes of each window, like a scan of all readings', async () => {
  const nowMs = Math.floor(at.now() / minuteMs) * minuteMs + 30_000
  const edges = [5, 30, 60, 360].map((minutes) => minutes * minuteMs)
  const longEdges = [3, 7, 28, 30].map((days) => days * 24 * hourMs)
  const agoMs = fc.oneof(
    fc
      .constantFrom(...edges, ...longEdges)
      .chain((edge) => fc.integer({ min: edge - 2 * minuteMs, max: edge + 2 * minuteMs })),
    fc.integer({ min: 0, max: 40 * 24 * hourMs }),
  )
  const probe = fc.record({
    agoMs,
    verdict: fc.constantFrom('up' as const, 'down' as const, 'blocked' as const, 'unmeasured' as const),
    latencyMs: fc.constantFrom(1, 499, 500, 501, 9_000, null),
    region: fc.constantFrom('fra', 'iad', 'nrt'),
    kind: fc.constantFrom('scheduled' as const, 'scheduled' as const, 'confirmation' as const),
  })
  const limit = fc.option(fc.constant(500))
  const client = connectClickHouse(clickhouse.url)
  await forAllAsync(
    [fc.array(probe, { minLength: 1, maxLength: 60 }), limit],
    { numRuns: 24 },
    async (probes, latencyMsMax) => {
      const [id, other] = [uuidv7(nowMs), uuidv7(nowMs)]
      await insertProbes(id, probes, nowMs)
      await insertProbes(other, [{ agoMs: 0, verdict: 'down' }], nowMs)
      const counts = await probeCountsOf(
        client,
        { checkIds: [id], longestDays: 90, latencyMsMax },
        nowMs,
        AbortSignal.timeout(30_000),
      )
      expect([...counts.keys()].every((each) => each === id)).toBe(true)
      const judged = probes.filter(
        ({ kind, verdict, latencyMs }) =>
          kind === 'scheduled' &&
          (verdict === 'down' || (verdict === 'up' && (latencyMsMax === null || latencyMs !== null))),
      )
      const expectedIn = (ms: number, stepMs: number) => {
        const fromMs = Math.floor(nowMs / stepMs) * stepMs - ms
        const inside = judged.filter((each) => nowMs - each.agoMs >= fromMs)
        const slots = inside.map((each) => Math.floor((nowMs - each.agoMs) / stepMs) * stepMs)
        const good = inside.filter(
          (each) =>
            each.verdict === 'up' && (each.latencyMs ?? 0) <= (latencyMsMax ?? Number.POSITIVE_INFINITY),
        )
        return {
          up: good.length,
          down: inside.length - good.length,
          most: Math.max(
            0,
            ...[...Map.groupBy(inside, ({ region }) => region).values()].map((own) => own.length),
          ),
          firstMs: slots.length === 0 ? null : Math.min(...slots),
        }
      }
      const expected = Object.fromEntries([
        ...[5, 30].map((minutes) => [`${minutes}m`, expectedIn(minutes * minuteMs, minuteMs)]),
        ...[1, 6].map((hours) => [`${hours}h`, expectedIn(hours * hourMs, minuteMs)]),
        ...[3, ...windowDays].map((days) => [`${days}d`, expectedIn(days * 24 * hourMs, hourMs)]),
      ])
      expect(counts.get(id)).toEqual(judged.length === 0 ? undefined : expected)
    },
  )
  await client.close()
})

test('slow probes fail an objective with a latency, and no other one', async () => {
  const checkId = await insertCheck()
  const probes = [100, 200, 700, 800].map((latencyMs) => ({
    agoMs: minuteMs,
    verdict: 'up' as const,
    latencyMs,
  }))
  await insertProbes(checkId, [...probes, { agoMs: minuteMs, verdict: 'down' }], at.now())
  await create({ checkId, name: 'fast', latencyMsMax: 500 })
  await create({ checkId, name: 'up' })
  expect((await list()).map(({ name, latencyMsMax, state }) => [name, latencyMsMax, state?.failed])).toEqual([
    ['fast', 500, 3],
    ['up', null, 1],
  ])
})

test('an objective with a latency of too many checks is not counted, and the others are', async () => {
  for (let count = 0; count <= latencyChecksMax; count++) await insertCheck({ tags: ['many'] })
  await create({ tag: 'many', name: 'fast', latencyMsMax: 500 })
  await create({ tag: 'many', name: 'up' })
  expect((await list()).map(({ name, state }) => [name, state?.checks])).toEqual([
    ['fast', undefined],
    ['up', latencyChecksMax + 1],
  ])
})

test('tells what is left of a budget, and refused probes count neither way', async () => {
  const checkId = await insertCheck({ everySeconds: 14_400 })
  const probes: Probe[] = [
    ...Array.from({ length: 199 }, (_, index): Probe => ({ agoMs: hourMs * 2 + index, verdict: 'up' })),
    { agoMs: hourMs * 2, verdict: 'down' },
    ...Array.from({ length: 50 }, (_, index): Probe => ({ agoMs: hourMs * 3 + index, verdict: 'blocked' })),
    { agoMs: hourMs * 3, verdict: 'unmeasured' },
  ]
  await insertProbes(checkId, probes, at.now())
  expect((await create({ checkId })).status).toBe(201)
  const [objective] = await list()
  expect(objective).toMatchObject({ ...fields, checkId, tag: null, checkName: 'Shop' })
  expect(objective?.state).toMatchObject({
    checks: 1,
    judged: 200,
    failed: 1,
    measuredShare: 1,
    ratio: 0.995,
    budgetRatio: 0.5,
    budgetMinutes: 432,
    budgetMinutesLeft: 216,
    burnRates: { '5m': null, '30m': null, '1h': null, '6h': 0.5, '3d': 0.5 },
  })
  expect(objective?.state?.burns.map(({ spending }) => spending)).toEqual([null, false, false])
})

test("an objective of a tag adds up all checks that have it now, in any case, and no one else's", async () => {
  const other = await loggedIn(at)
  const [one, two, without, theirs] = [
    await insertCheck({ tags: ['Shop'] }),
    await insertCheck({ tags: ['eu', 'shop'] }),
    await insertCheck({ tags: ['shops'] }),
    await insertCheck({ tags: ['shop'], accountId: other.accountId }),
  ]
  for (const id of [one, two]) await insertProbes(id, [{ agoMs: hourMs, verdict: 'up' }], at.now())
  for (const id of [without, theirs]) await insertProbes(id, [{ agoMs: hourMs, verdict: 'down' }], at.now())
  await create({ tag: 'SHOP' })
  expect((await list())[0]?.state).toMatchObject({ checks: 2, judged: 2, failed: 0, budgetRatio: 1 })
  expect((await asUser(at, other, 'GET', '/objectives')).json).toEqual({ objectives: [] })
})

test('an objective without judged probes has no figures, neither good nor bad', async () => {
  const checkId = await insertCheck()
  await create({ checkId })
  const [objective] = await list()
  expect(objective?.state).toMatchObject({ judged: 0, ratio: null, budgetRatio: null, judgedSince: null })
  expect(objective?.state?.burns.every(({ spending }) => spending === null)).toBe(true)
})

test('the metrics of the account have the budget and the burn rates', async () => {
  const account = await at.account('growth')
  user = { ...user, accountId: account.id }
  const checkId = await insertCheck({ everySeconds: 86_400 })
  const probes: Probe[] = [
    { agoMs: 0, verdict: 'down' },
    { agoMs: 0, verdict: 'down' },
    ...Array.from({ length: 6 }, (_, index): Probe => ({ agoMs: 1 + index, verdict: 'up' })),
  ]
  await insertProbes(checkId, probes, at.now())
  await at.sql`
    insert into objectives (id, account_id, name, target, window_days, check_id, created_at)
    values (gen_random_uuid(), ${account.id}, 'Checkout', 50, 7, ${checkId}, now())`
  const series = parseMetrics((await at.call('GET', '/v1/metrics', { key: account.readKey })).text)
  const own = series.filter(({ name }) => name.startsWith('probe_mesh_objective'))
  expect(own.map(({ name, labels, value }) => [name, labels['objective'], labels['window'], value])).toEqual([
    ['probe_mesh_objective_budget_ratio', 'Checkout', undefined, 0.5],
    ...['5m', '30m', '1h', '6h', '3d'].map((window) => [
      'probe_mesh_objective_burn_rate',
      'Checkout',
      window,
      0.5,
    ]),
  ])
})

test('a bad first minute is no bad month: only measured time is spent, and metrics have no rate of what was not', async () => {
  const account = await at.account('growth')
  user = { ...user, accountId: account.id }
  const id = await insertCheck({ dueSinceMs: at.now() - 7 * minuteMs })
  const probes = Array.from({ length: 7 }, (_, index): Probe => ({
    agoMs: index * minuteMs,
    verdict: index < 4 ? 'down' : 'up',
  }))
  await insertProbes(id, probes, at.now())
  await at.sql`
    insert into objectives (id, account_id, name, target, window_days, check_id, created_at)
    values (gen_random_uuid(), ${account.id}, 'Checkout', 99, 7, ${id}, now())`
  const { json } = await at.call('GET', '/v1/objectives', { key: account.readKey })
  const { state } = json.objectives[0]
  expect(state.budgetMinutesLeft).toBeGreaterThan(96)
  expect(state.budgetMinutesLeft).toBeLessThan(97.5)
  expect(state.measuredShare).toBeLessThan(0.001)
  expect(state.burnRates).toMatchObject({ '1h': null, '6h': null, '3d': null })
  const series = parseMetrics((await at.call('GET', '/v1/metrics', { key: account.readKey })).text)
  const rates = series.filter(({ name }) => name === 'probe_mesh_objective_burn_rate')
  expect(rates.map(({ labels }) => labels['window'])).toEqual(['5m'])
})

describe('an objective', () => {
  test('is changed and deleted, and goes with its check', async () => {
    const [checkId, second] = [await insertCheck(), await insertCheck()]
    const { id } = (await create({ checkId })).json
    const changed = { name: 'Renamed', target: 99.95, windowDays: 7, tag: 'shop' }
    expect((await asUser(at, user, 'PATCH', `/objectives/${id}`, changed)).status).toBe(200)
    expect((await asUser(at, user, 'GET', `/objectives/${id}`)).json).toMatchObject({
      ...changed,
      checkId: null,
    })
    expect((await asUser(at, user, 'DELETE', `/objectives/${id}`)).json).toEqual({ id, deleted: true })
    await create({ checkId: second })
    await at.sql`delete from checks where id = ${second}`
    expect(await list()).toEqual([])
  })

  test('names an alert rule, and another one ends its alerts', async () => {
    const rule = async (): Promise<string> =>
      (await asUser(at, user, 'POST', '/alert-rules', { name: 'rule' })).json.id
    const [first, second] = [await rule(), await rule()]
    const { id } = (await create({ tag: 'shop', alertRuleId: first })).json
    await at.sql`
      insert into burn_alerts (objective_id, pair, account_id, since) values (${id}, '1h', ${user.accountId}, now())`
    const shown = await list()
    expect(shown).toMatchObject([{ alertRuleId: first, alerts: [{ long: '1h' }] }])
    await asUser(at, user, 'PATCH', `/objectives/${id}`, { ...fields, tag: 'shop', alertRuleId: first })
    expect((await list())[0]?.alerts).toHaveLength(1)
    await asUser(at, user, 'PATCH', `/objectives/${id}`, { ...fields, tag: 'shop', alertRuleId: second })
    expect(await list()).toMatchObject([{ alertRuleId: second, alerts: [] }])
    await asUser(at, user, 'DELETE', `/alert-rules/${second}`)
    expect(await list()).toMatchObject([{ id, alertRuleId: null }])
  })

  test('of another account is missing', async () => {
    const { id } = (await create({ tag: 'shop' })).json
    const other = await loggedIn(at)
    const answers = [
      await asUser(at, other, 'GET', `/objectives/${id}`),
      await asUser(at, other, 'PATCH', `/objectives/${id}`, { ...fields, tag: 'shop' }),
      await asUser(at, other, 'DELETE', `/objectives/${id}`),
    ]
    expect(answers.map(({ json }) => json.code)).toEqual(['SV-3001', 'SV-3001', 'SV-3001'])
  })

  test('is refused with all problems, for a heartbeat, for a missing check, and beyond the limit', async () => {
    const wrong = await create({ name: '', target: 99.9999, windowDays: 31 })
    expect(wrong.json.errors.map(({ path }: { path: string }) => path)).toEqual(
      expect.arrayContaining(['name', 'target', 'windowDays']),
    )
    const pathsOf = async (body: object) =>
      (await create(body)).json.errors.map(({ path }: { path: string }) => path)
    expect(await pathsOf({})).toEqual(['tag'])
    expect(await pathsOf({ tag: 'shop', checkId: uuidv7(0) })).toEqual(['tag'])
    expect(await pathsOf({ checkId: uuidv7(0) })).toEqual(['checkId'])
    expect(await pathsOf({ checkId: await insertCheck({ type: 'heartbeat' }) })).toEqual(['checkId'])
    const url = 'https://shop.example.org/'
    const made = await asUser(at, user, 'POST', '/checks', { name: 'Shop', url, intervalSeconds: 60 })
    expect(await pathsOf({ checkId: made.json.id, latencyMsMax: 10_000 })).toEqual(['latencyMsMax'])
    for (const [name, intervalSeconds] of [
      ['Fast', 10],
      ['Slow', 60],
    ])
      await asUser(at, user, 'POST', '/checks', { name, url, intervalSeconds, tags: ['Paths'] })
    expect(await pathsOf({ tag: 'paths', latencyMsMax: 10_000 })).toEqual(['latencyMsMax'])
    expect((await create({ tag: 'paths', latencyMsMax: 9_999 })).status).toBe(201)
    expect((await create({ tag: 'none has it', latencyMsMax: 10_000 })).status).toBe(201)
    const others = await loggedIn(at)
    const theirs = (await asUser(at, others, 'POST', '/alert-rules', { name: 'theirs' })).json.id
    expect(await pathsOf({ checkId: uuidv7(0), alertRuleId: theirs })).toEqual(['checkId', 'alertRuleId'])
    await at.sql`
      insert into objectives (id, account_id, name, target, window_days, tag, created_at)
      select gen_random_uuid(), ${user.accountId}, 'x', 99, 7, 'x', now() from generate_series(1, 48)`
    expect((await create({ tag: 'shop' })).json.code).toBe('SV-3002')
  })
})

test('without ClickHouse objectives are listed, and have no state', async () => {
  const without = await startTestApp()
  const member = await loggedIn(without)
  const body = { ...fields, tag: 'shop' }
  expect((await asUser(without, member, 'POST', '/objectives', body)).status).toBe(201)
  await without.sql`
    insert into checks (id, account_id, type, name, interval_seconds, regions, all_regions, config, tags, valid_from,
      created_at, updated_at)
    values (gen_random_uuid(), ${member.accountId}, 'http', 'Shop', 60, '{fra}', false, '{}', '{shop}', now(), now(),
      now())`
  const { json } = await asUser(without, member, 'GET', '/objectives')
  expect(json.objectives).toMatchObject([{ ...body, state: null }])
  await without.close()
})
