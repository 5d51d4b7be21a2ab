import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { requestPools } from '@probe-mesh/contracts/api/request-pools'
import { defaultStatusRule } from '@probe-mesh/contracts/check/status-rule'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import pino from 'pino'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { asUser, loggedIn, type TestUser } from '../../app/testing/log-in.ts'
import { useTestApp } from '../../app/testing/test-app.ts'
import { insertReadings } from '../../readings/insert-readings.ts'
import type { StatusChange } from '../../status/observe.ts'
import { keepBursts } from '../../status/quarantine/region-bursts-store.ts'
import { connectClickHouse } from '../../stores/clickhouse/connect.ts'
import { replayStatusRule } from './replay-status-rule.ts'
import { liveThrough, slotsOfScript, type Lived, type Script } from './testing.ts'
import { createReplayThreads } from './replay-threads.ts'

let user: TestUser
const clickhouse = useTestClickHouse()
const at = useTestApp(() => ({ clickhouseUrl: clickhouse.url, config: { budgetScale: 1_000 } }))
const away = useTestApp()
beforeAll(async () => {
  user = await loggedIn(at)
  await at.sql`update accounts set tier = 'scale'`
})

const regions = ['iad', 'sjc', 'fra', 'nrt']
const script: Script = {
  regions,
  intervalSeconds: 60,
  statusRule: null,
  troubles: [],
  revisions: [],
  seed: 3,
}
const scripts: Record<string, Script> = {
  'an outage in every region that a pause ends, and a failure in one region': {
    ...script,
    troubles: [
      ...[0, 1, 2, 3].map((region) => ({ region, fromSlot: 4, slots: 5, kind: 'answers badly' as const })),
      { region: 2, fromSlot: 26, slots: 6, kind: 'is silent' },
    ],
    revisions: [{ atSlot: 8, slots: 6, kind: 'pause' }],
  },
  'a failure without an answer, where any region decides': {
    ...script,
    statusRule: { ...defaultStatusRule, failingRegions: 'any', failures: 1 },
    troubles: [
      { region: 1, fromSlot: 6, slots: 5, kind: 'is silent' },
      { region: 3, fromSlot: 20, slots: 5, kind: 'is silent' },
      { region: 3, fromSlot: 20, slots: 6, kind: 'is doubted' },
    ],
  },
  'a certificate that expired in one region': {
    ...script,
    statusRule: { ...defaultStatusRule, failingRegions: 'any', failures: 1 },
    troubles: [{ region: 1, fromSlot: 14, slots: 6, kind: 'is proven' }],
  },
  'a quarantine, late deliveries and failures that come and go': {
    ...script,
    statusRule: { ...defaultStatusRule, failingRegions: 'any', failures: 2 },
    troubles: [
      { region: 0, fromSlot: 3, slots: 6, kind: 'is silent' },
      { region: 0, fromSlot: 2, slots: 10, kind: 'quarantined' },
      { region: 1, fromSlot: 14, slots: 5, kind: 'answers badly' },
      { region: 1, fromSlot: 14, slots: 6, kind: 'delivers late' },
      { region: 2, fromSlot: 22, slots: 9, kind: 'comes and goes' },
      { region: 3, fromSlot: 24, slots: 5, kind: 'answers badly' },
    ],
  },
}

/** A check that lived through a script until now, with all that is stored of it. */
const lived = async (life: Script): Promise<Lived & { id: string; beganMs: number }> => {
  at.hold()
  at.pass(1_000 - (at.now() % 1_000))
  const beganMs = at.now() - slotsOfScript * life.intervalSeconds * 1_000
  const body = {
    name: 'Shop',
    url: 'https://shop.example.org/',
    intervalSeconds: 60,
    regions: [...life.regions],
  }
  const { id } = (await asUser(at, user, 'POST', '/checks', body)).json
  const statusRule = life.statusRule ?? {}
  expect((await asUser(at, user, 'PATCH', `/typed-checks/${id}`, { statusRule })).status).toBe(200)
  const past = await liveThrough(life, id, beganMs)
  await at.sql`update checks set created_at = ${new Date(beganMs)} where id = ${id}`
  await at.sql`delete from check_revisions where check_id = ${id}`
  for (const [index, revision] of past.history.revisions.entries()) {
    const { validFromMs, validToMs, paused } = revision
    await at.sql`
      insert into check_revisions (check_id, revision, valid_from, valid_to, regions, interval_seconds, paused, spread)
      values (${id}, ${index + 1}, ${new Date(validFromMs)}, ${validToMs === null ? null : new Date(validToMs)},
        ${[...revision.regions]}, ${revision.intervalSeconds}, ${paused}, false)`
  }
  for (const { region, fromMs, toMs } of past.history.quarantines) {
    await at.sql`
      insert into region_quarantines (id, region, since, ended_at, hosts, failing, evidence)
      values (${uuidv7(fromMs)}, ${region}, ${new Date(fromMs - 60_000)}, ${toMs === null ? null : new Date(toMs)},
        9, 9, '{"examples": []}')`
  }
  await keepBursts(at.sql, past.history.bursts)
  const client = connectClickHouse(clickhouse.url)
  const rows = past.stored.map(({ reading, atMs }) => ({
    reading,
    agent: `${reading.region}-1`,
    receivedAtMs: atMs,
    rawDays: 30,
    hourDays: 400,
  }))
  await insertReadings(client, rows, crypto.randomUUID())
  await client.close()
  return { ...past, id, beganMs }
}
const replay = (id: string, statusRule: object) =>
  asUser(at, user, 'POST', `/checks/${id}/status-rule/replay`, { statusRule })

/** When the check began to be down and when it was seen up or paused again, by its flips. */
const outagesOf = (changes: readonly StatusChange[]) => {
  const found: { startedAt: string; endedAt: string | null }[] = []
  for (const { to, noneUp, reason, atMs } of changes) {
    const open = found.at(-1)
    const isOpen = open !== undefined && open.endedAt === null
    if (to === 'down' && !isOpen) found.push({ startedAt: new Date(atMs).toISOString(), endedAt: null })
    const isEnd =
      to === 'operational' || (to === 'degraded' && noneUp !== true) || reason?.startsWith('paused')
    if (isEnd === true && isOpen) open.endedAt = new Date(atMs).toISOString()
  }
  return found.toReversed()
}

test.each(Object.entries(scripts))(
  '%s: the replay has the outages that the assessor found',
  async (_name, life) => {
    const { id, changes, stored, beganMs, endMs } = await lived(life)
    const { status, json } = await replay(id, life.statusRule ?? {})
    expect(status).toBe(200)
    expect(json).toMatchObject({
      from: new Date(beganMs).toISOString(),
      to: new Date(endMs).toISOString(),
      readings: stored.length,
      cut: 'age',
    })
    const found = json.current.newest.map(
      ({ startedAt, endedAt }: { startedAt: string; endedAt: string | null }) => ({
        startedAt,
        endedAt,
      }),
    )
    expect(found).toEqual(outagesOf(changes))
    expect(found.length).toBeGreaterThan(0)
    expect(json.tried).toEqual(json.current)
  },
)

test('another rule is compared with the current one, and nothing is saved', async () => {
  const { id } = await lived(
    scripts['an outage in every region that a pause ends, and a failure in one region'] ?? script,
  )
  const before = await at.sql`select status_rule, updated_at from checks where id = ${id}`
  const { json } = await replay(id, { failingRegions: 'any', failures: 3 })
  expect(json.current).toMatchObject({ outages: 1, text: 'Down when most of 4 regions fail at one time.' })
  expect(json.tried).toMatchObject({
    outages: 2,
    text: 'Down when any of 4 regions fails in 3 slots in a row.',
    newest: [{ reason: expect.stringContaining('1 of 4 regions fail (fra)') }, {}],
  })
  const never = await replay(id, { failures: 10 })
  expect(never.json.tried).toMatchObject({ outages: 0, downSeconds: 0, newest: [] })
  expect(never.json.tried.degradedSeconds).toBeGreaterThan(json.current.degradedSeconds)
  expect(await at.sql`select status_rule, updated_at from checks where id = ${id}`).toEqual(before)
})

test('a replay goes back as far as the plan keeps readings, and says so', async () => {
  const { id } = await lived(script)
  await at.sql`update checks set created_at = ${new Date(at.now() - 90 * 86_400_000)} where id = ${id}`
  expect((await replay(id, {})).json).toMatchObject({
    from: new Date(at.now() - 30 * 86_400_000).toISOString(),
    cut: null,
  })
  await at.sql`update checks set interval_seconds = 10 where id = ${id}`
  expect((await replay(id, {})).json.cut).toBe('readings')
  await at.sql`update accounts set tier = 'free'`
  await at.sql`update checks set interval_seconds = 300 where id = ${id}`
  expect((await replay(id, {})).json).toMatchObject({
    from: new Date(at.now() - 7 * 86_400_000).toISOString(),
    cut: 'plan',
  })
  await at.sql`update accounts set tier = 'scale'`
})

test('a rule that does not fit, a heartbeat and a missing ClickHouse are refused', async () => {
  const body = { name: 'Shop', url: 'https://shop.example.org/', regions: ['fra'] }
  const { id } = (await asUser(at, user, 'POST', '/checks', body)).json
  expect(await replay(id, { failingRegions: 2 })).toMatchObject({
    status: 422,
    json: { code: 'SV-2001', errors: [{ path: 'statusRule.failingRegions' }] },
  })
  const job = { type: 'heartbeat', name: 'Backup', settings: { periodSeconds: 3_600, graceSeconds: 60 } }
  const heartbeat = (await asUser(at, user, 'POST', '/typed-checks', job)).json.id
  expect((await replay(heartbeat, {})).json.code).toBe('SV-3005')
  const other = await loggedIn(away)
  const made = await asUser(away, other, 'POST', '/checks', body)
  const path = `/checks/${made.json.id}/status-rule/replay`
  expect((await asUser(away, other, 'POST', path, { statusRule: {} })).json.code).toBe('SV-9002')
})

test('a replay ends with what it has when its time is over, and an account has one at a time', async () => {
  const { id } = await lived(script)
  const client = connectClickHouse(clickhouse.url)
  onTestFinished(() => client.close())
  const { replays: row } = requestPools
  const pool = createFairPool({ ...row.bounds, waiting: 0, waitingOfOwner: 0 })
  const threads = createReplayThreads({ pool, waitMsMax: row.waitMsMax })
  onTestFinished(() => threads.close())
  const context = {
    sql: at.accountSql,
    meshSql: at.sql,
    clickhouse: client,
    rules: { tiers: tiersDefault },
    replays: threads,
    now: at.now,
    log: pino({ level: 'silent' }),
  }
  const ask = (more: { replayMsMax?: number; clickhouse?: Pick<typeof client, 'query'> }) =>
    replayStatusRule(
      { ...context, replayMsMax: 3_600_000, ...more } as never,
      { accountId: user.accountId, tier: 'scale' } as never,
      {
        params: { id },
        body: { statusRule: defaultStatusRule },
      },
    )
  const late = await ask({ replayMsMax: -1 })
  expect(late).toMatchObject({ cut: 'time', readings: 0, current: { outages: 0, downSeconds: 0 } })
  const [reads, mayRead] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const query: typeof client.query = async (...asked) => {
    reads.resolve()
    await mayRead.promise
    return client.query(...asked)
  }
  const first = ask({ clickhouse: { query } })
  await reads.promise
  expect(await ask({})).toMatchObject({ refused: 'SV-9002' })
  mayRead.resolve()
  expect(await first).toMatchObject({ cut: 'age' })
})
