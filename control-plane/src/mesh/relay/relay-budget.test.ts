import { aReading } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import { relayBudgetBounds } from '@probe-mesh/contracts/agent/relay-budget'
import { nextSlot, slotPhase } from '@probe-mesh/contracts/reading/slots'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { beforeEach, expect, test } from 'vitest'
import { createRunIds } from './run-ids.ts'
import { ownerOf, type Owner } from '../../app/testing/pages.ts'
import { useTestApp, testKey, type Answer } from '../../app/testing/test-app.ts'

/** Limits of a private agent's token on shared databases. */

let owner: Owner
let accountId: string
let agentId: string
let region: string
let token: string
let checkId: string
let batch = 0

const database = useTestDatabase()
const at = useTestApp({ database, config: { budgetScale: 1_000 } })
const other = useTestApp({ database, config: { budgetScale: 1_000 } })
beforeEach(async () => {
  const account = await at.account('scale')
  owner = ownerOf(at, account)
  accountId = account.id
  const made = (await owner.post('/agents', { name: 'office' })).json
  token = made.token
  agentId = made.agent.id
  region = privateRegion(agentId)
  checkId = await owner.checkId({
    name: 'inside',
    url: 'http://10.0.0.1/',
    regions: [region],
    intervalSeconds: 60,
  })
})

/** The last slot of the check at an interval. */
const slotBefore = (beforeMs: number, intervalMs = 60_000): number =>
  nextSlot(slotPhase(checkId, region, intervalMs), intervalMs, beforeMs) - intervalMs
const readings = (count: number, over: Partial<Reading> = {}): Reading[] =>
  Array.from({ length: count }, (_, n) => {
    const slot = slotBefore(at.now()) - n * 60_000
    return { ...aReading({ checkId, region }), slot, measuredAt: slot, ...over }
  })
const post = (list: readonly unknown[] | string, app = at): Promise<Answer> => {
  batch += 1
  const partition = partitionOf(checkId)
  const head = `"version":1,"agent":"${region}","region":"${region}","partition":${partition}`
  const text = typeof list === 'string' ? list : JSON.stringify(list)
  const messageId = `${region}:${partition}:${batch}`
  return app.call('POST', `/relay/readings?partition=${partition}&messageId=${messageId}`, {
    key: token,
    body: `{${head},"batch":${batch},"readings":${text}}`,
    headers: { 'content-type': 'application/json' },
  })
}
const outcome = async (name: string): Promise<number> => {
  const { values } = (await at.registry.getSingleMetric('relay_readings_total')?.get()) ?? {
    values: [],
  }
  return values.find(({ labels }) => labels['outcome'] === name)?.value ?? 0
}
const spendAll = async (): Promise<Answer> => {
  for (;;) {
    const answer = await post(readings(limits.readingsPerMessageMax))
    if (answer.status !== 200) return answer
  }
}

test.each([4_385, 4_391, 20_000])('readings nested %i deep are refused unparsed', async (depth) => {
  const nested = `[{"checkId":"${checkId}","region":"${region}","x":${'['.repeat(depth)}${']'.repeat(depth)}}]`
  const answer = await post(nested)
  expect(answer).toMatchObject({ status: 400, json: { code: 'SV-2001' } })
  expect(answer.text).toContain(`nests deeper than ${limits.jsonDepthMax} levels`)
})

test('refuses an answer nested 60,000 deep without an internal error', async () => {
  const lines = at.logged.length
  const answer = await at.call('POST', `/relay/runs/${crypto.randomUUID()}`, {
    key: token,
    body: `{"agent":"x","reading":${'['.repeat(60_000)}${']'.repeat(60_000)}}`,
    headers: { 'content-type': 'application/json' },
  })
  expect(answer).toMatchObject({ status: 400, json: { code: 'SV-2001' } })
  expect(at.logged).toHaveLength(lines)
})

test('an agent may send what its checks can produce, then waits for Retry-After', async () => {
  at.hold()
  const refused = await spendAll()
  expect(refused).toMatchObject({ status: 429, json: { code: 'SV-6002' } })
  at.pass(Number(refused.headers['retry-after']) * 1_000)
  expect((await post(readings(limits.readingsPerMessageMax))).status).toBe(200)
})

test('each agent has its own budget, which counts at every control plane', async () => {
  at.hold()
  await spendAll()
  expect((await post(readings(limits.readingsPerMessageMax), other)).status).toBe(429)
  const theirs = (await owner.post('/agents', { name: 'other' })).json
  token = theirs.token
  region = theirs.agent.region
  checkId = await owner.checkId({ name: 'b', url: 'http://10.0.0.1/', regions: [region] })
  expect((await post(readings(limits.readingsPerMessageMax))).status).toBe(200)
})

test('counts bytes too, so unreadable readings use up the budget', async () => {
  at.hold()
  const large = [{ checkId, region, x: 'x'.repeat(500_000) }]
  const statuses: number[] = []
  for (let n = 0; n < 10; n++) statuses.push((await post(large)).status)
  const most = relayBudgetBounds.least.most.bytes
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(most / 500_000)
  expect(statuses.at(-1)).toBe(429)
})

test('accepts an hour of readings at once, and the rest of a week at the pace of the budget', async () => {
  await owner.checkId({
    name: 'b',
    url: 'http://10.0.0.2/',
    regions: [region],
    intervalSeconds: 10,
  })
  at.hold()
  let sent = 0
  // the first minutes; a week has 7,000 readings for a check of 60 s
  for (let minute = 0; minute < 5; minute++) {
    while ((await post(readings(limits.readingsPerMessageMax))).status === 200) sent += 100
    at.pass(60_000)
  }
  const perMinute = 7
  const most = perMinute * (relayBudgetBounds.burstMinutes + 5 * relayBudgetBounds.catchUp)
  expect(sent).toBeLessThanOrEqual(most)
  expect(sent).toBeGreaterThan(most - 2 * limits.readingsPerMessageMax)
})

/** How many of these are accepted, and how many match no slot. */
const outcomes = async (list: readonly Reading[]): Promise<[number, number]> => {
  const before = [await outcome('taken'), await outcome('no_slot')] as const
  expect((await post(list)).status).toBe(200)
  return [(await outcome('taken')) - before[0], (await outcome('no_slot')) - before[1]]
}
const shifted = (list: readonly Reading[], ms: number): Reading[] =>
  list.map((reading) => ({ ...reading, slot: reading.slot + ms }))

test('drops and counts scheduled readings of invented slots, and accepts those of real slots', async () => {
  const own = readings(10)
  const invented = [1, -1, 1_000, 30_000].flatMap((ms) => shifted(own, ms))
  expect(await outcomes([...own, ...invented])).toEqual([10, 40])
})

test('drops scheduled readings of slots days before the check existed', async () => {
  const own = readings(10)
  expect(await outcomes([...own, ...shifted(own, -2 * 86_400_000)])).toEqual([10, 10])
})

test('loses no reading of an agent that was offline while its check changed', async () => {
  at.hold()
  const former = readings(5)
  await at.sql`
    insert into check_revisions (check_id, revision, valid_from, regions, interval_seconds, paused)
    select check_id, n, ${new Date(at.now())}, regions, 50 + 10 * n, n = 5
    from check_revisions, unnest(array[2, 4, 5]) as n where check_id = ${checkId}`
  // an agent without these changes continues
  const later = shifted(former, 10 * 60_000)
  const between = readings(1, { slot: slotBefore(at.now(), 70_000) })
  const current = readings(1, { slot: slotBefore(at.now(), 90_000) })
  expect(await outcomes([...former, ...later, ...between, ...current])).toEqual([12, 0])
  // an interval that it never had
  expect(await outcomes(readings(1, { slot: slotBefore(at.now(), 80_000) }))).toEqual([0, 1])
})

test.each(['manual', 'confirmation'] as const)(
  'drops and counts a %s reading of a run that was not requested',
  async (kind) => {
    const [taken, dropped] = [await outcome('taken'), await outcome('not_asked')]
    const [scheduled] = readings(1)
    const list = [scheduled, ...readings(3, { kind, number: 5 }), { ...scheduled, kind }]
    expect((await post(list)).status).toBe(200)
    expect([await outcome('taken'), await outcome('not_asked')]).toEqual([taken + 1, dropped + 4])
  },
)

test('a run requested by one control plane counts when another receives its reading, also a second time', async () => {
  const asked: { at: number; number: number }[] = []
  const { openAgentRuns } = await import('./relay-runs.ts')
  const runs = await openAgentRuns({
    sql: at.systemSql,
    bus: at.bus,
    runIds: createRunIds(testKey),
    now: at.now,
  })
  const serving = await runs.serve({ id: agentId, accountId }, ({ id, request }) => {
    asked.push(request as { at: number; number: number })
    runs.answer(agentId, id, { agent: region, error: 'busy' })
  })
  await owner.post(`/checks/${checkId}/run`)
  await serving.close()
  await runs.close()
  expect(asked).toHaveLength(1)
  const [run] = asked
  const own = readings(1, { kind: 'manual', slot: run?.at ?? 0, number: run?.number ?? 0 })
  const taken = async () => {
    const metric = other.registry.getSingleMetric('relay_readings_total')
    const { values } = (await metric?.get()) ?? { values: [] }
    return values.find(({ labels }) => labels['outcome'] === 'taken')?.value ?? 0
  }
  const before = await taken()
  await post(own, other)
  await post(own, other)
  expect(await taken()).toBe(before + 2)
  await post(
    own.map((reading) => ({ ...reading, number: reading.number + 1 })),
    other,
  )
  expect(await taken()).toBe(before + 2)
})
