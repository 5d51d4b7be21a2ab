import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { rearmHeartbeat } from './change-heartbeat.ts'
import type { Ping } from './ping.ts'
import { flipsOf, insertTestHeartbeat, type TestHeartbeat } from './testing-pings.ts'
import { recordPings } from './record-pings.ts'
import { connectPostgres, type Sql } from '../stores/postgres/connect.ts'
import { findRuns, pruneRuns } from './heartbeat-runs.ts'
import { writeHeartbeats } from './heartbeat-writes-store.ts'
import { findOutages, keepWatch } from './heartbeat-watch-store.ts'
import { claimDueHeartbeats, claimMs, findHeartbeat } from './heartbeats-store.ts'
import { applyDeadlines, settleMs, startDeadlineWatcher } from './deadline-watcher.ts'

const minuteMs = 60_000
const t0 = Date.parse('2027-06-01T12:00:00.000Z')
const at = (minutes: number): number => t0 + minutes * minuteMs
const log = pino({ level: 'silent' })

const database = useTestDatabase()
const sql = database.use({ connectionsMax: 8 })
afterEach(async () => {
  await sql`truncate heartbeats, heartbeat_watch, heartbeat_outages cascade`
})

const ping = async (
  { pingKey }: TestHeartbeat,
  atMs: number,
  kind: Ping['kind'] = 'success',
  connection: Sql = sql,
): Promise<void> => {
  const one = { pingKey, kind, rid: null, exitCode: null, message: null, atMs }
  await recordPings({ sql: connection, now: () => atMs }, [one])
}
const heartbeat = (settings: NonNullable<Parameters<typeof insertTestHeartbeat>[1]>['settings'] = {}) =>
  insertTestHeartbeat(sql, { settings, createdAtMs: t0 - minuteMs })
/** As the loop does at an instant, a moment after it so that no ping is on its way. */
const look = async (nowMs: number, connection: Sql = sql, limit = 500) =>
  applyDeadlines({ sql: connection, log }, await findOutages(connection), nowMs + settleMs, limit)
const outcomesOf = async ({ checkId }: TestHeartbeat) =>
  (await findRuns(sql, checkId, 500)).map(({ outcome }) => outcome)

describe('deadlines', () => {
  test('applies a passed deadline with its run, its flip and its outbox rows', async () => {
    const made = await heartbeat()
    await ping(made, at(0))
    expect((await look(at(15) - 1)).heartbeats).toBe(0)
    expect(await look(at(15))).toEqual({ heartbeats: 1, outcomes: ['missed'] })
    expect(await flipsOf(sql, made.checkId)).toEqual({
      flips: ['operational', 'down'],
      told: 2,
      version: 2,
      status: 'down',
    })
    const [flip] = await sql<{ at: Date }[]>`
      select at from flips where check_id = ${made.checkId} order by version desc`
    expect(flip?.at.getTime()).toBe(at(15))
    expect((await look(at(15))).heartbeats).toBe(0)
  })

  test('a heartbeat without a first ping has no deadline', async () => {
    const made = await heartbeat()
    expect((await look(at(1e6))).heartbeats).toBe(0)
    expect(await flipsOf(sql, made.checkId)).toMatchObject({ flips: [], status: 'unknown' })
  })

  test('a restart loses no deadline', async () => {
    const made = await heartbeat({ maxRuntimeSeconds: 1800 })
    const before = connectPostgres(database.url, { connectionsMax: 2 })
    await ping(made, at(0), 'success', before)
    await ping(made, at(5), 'start', before)
    await before.end()
    const after = connectPostgres(database.url, { connectionsMax: 2 })
    try {
      expect((await look(at(35) - 1, after)).heartbeats).toBe(0)
      expect((await look(at(35), after)).outcomes).toEqual(['stuck'])
    } finally {
      await after.end()
    }
    expect(await outcomesOf(made)).toEqual(['stuck', 'success'])
    expect(await flipsOf(sql, made.checkId)).toMatchObject({ flips: ['operational', 'down'] })
  })

  test('many control planes apply each deadline once', async () => {
    const all = []
    for (let n = 0; n < 40; n++) all.push(await heartbeat())
    await recordPings(
      { sql, now: () => at(0) },
      all.map(({ pingKey }) => ({
        pingKey,
        kind: 'success' as const,
        rid: null,
        exitCode: null,
        message: null,
        atMs: at(0),
      })),
    )
    const others = [1, 2, 3].map(() => connectPostgres(database.url, { connectionsMax: 2 }))
    try {
      // small batches, so that they meet again and again
      const drain = async (connection: Sql): Promise<number> => {
        let count = 0
        for (;;) {
          const { heartbeats } = await look(at(15), connection, 7)
          count += heartbeats
          if (heartbeats === 0) return count
        }
      }
      const counts = await Promise.all(others.map(drain))
      const left = await drain(sql)
      expect(counts.reduce((sum, count) => sum + count, left)).toBe(40)
    } finally {
      await Promise.all(others.map((connection) => connection.end()))
    }
    for (const made of all) {
      expect(await outcomesOf(made)).toEqual(['missed', 'success'])
      expect(await flipsOf(sql, made.checkId)).toMatchObject({ told: 2, version: 2 })
    }
  })

  test('of a simultaneous ping and deadline, the second builds on the first', async () => {
    const all = []
    for (let n = 0; n < 20; n++) all.push(await heartbeat())
    for (const made of all) await ping(made, at(0))
    await Promise.all([...all.map((made) => ping(made, at(15.5))), look(at(16)), look(at(16))])
    for (const made of all) {
      const outcomes = await outcomesOf(made)
      const { flips, told, version, status } = await flipsOf(sql, made.checkId)
      expect([outcomes.length - 1, status]).toEqual([flips.length === 1 ? 1 : 2, 'operational'])
      expect([told, version]).toEqual([flips.length, flips.length])
    }
  })

  test('a control plane killed in the middle leaves exactly its unfinished work to others', async () => {
    const made = await heartbeat()
    await ping(made, at(0))
    await sql`alter table flips add constraint dies check (to_status <> 'down') not valid`
    await expect(look(at(15))).rejects.toThrow('dies')
    expect(await outcomesOf(made)).toEqual(['success'])
    expect(await flipsOf(sql, made.checkId)).toMatchObject({ told: 1, version: 1 })
    expect((await findHeartbeat(sql, made.checkId))?.state.health).toBe('up')
    await sql`alter table flips drop constraint dies`
    expect((await look(at(15) + claimMs)).outcomes).toEqual(['missed'])
    expect(await flipsOf(sql, made.checkId)).toMatchObject({ told: 2, version: 2 })
  })

  test('a claim of a dead control plane passes to the next one', async () => {
    const made = await heartbeat()
    await ping(made, at(0))
    expect(await claimDueHeartbeats(sql, at(15), 10)).toHaveLength(1)
    expect((await look(at(15))).heartbeats).toBe(0)
    expect((await look(at(15) + claimMs)).outcomes).toEqual(['missed'])
    expect(await flipsOf(sql, made.checkId)).toMatchObject({
      flips: ['operational', 'down'],
      told: 2,
    })
  })

  test('a ping after a claim keeps the heartbeat up', async () => {
    const made = await heartbeat()
    await ping(made, at(0))
    const due = await claimDueHeartbeats(sql, at(15), 10)
    await ping(made, at(15))
    const late = due.map((before) => ({
      before,
      state: { ...before.state, health: 'down' as const },
      nextDeadlineMs: null,
      runs: [],
      flips: [{ from: 'operational', to: 'down', reason: 'no', atMs: at(15) } as const],
      log: null,
    }))
    expect(await writeHeartbeats(sql, late, at(16))).toEqual(new Set())
    expect(await flipsOf(sql, made.checkId)).toMatchObject({ flips: ['operational'], told: 1 })
    expect((await look(at(30) - 1)).heartbeats).toBe(0)
    expect((await look(at(30))).outcomes).toEqual(['missed'])
  })

  test('a heartbeat written by a newer version is postponed and delays no others', async () => {
    const [odd, made] = [await heartbeat(), await heartbeat()]
    for (const one of [odd, made]) await ping(one, at(0))
    await sql`update checks set config = '{"type":"heartbeat","settings":{"lunar":true}}' where id = ${odd.checkId}`
    expect(await look(at(15))).toEqual({ heartbeats: 2, outcomes: ['missed'] })
    expect((await look(at(15))).heartbeats).toBe(0)
  })

  test('silence while paused flips nothing, and resuming starts the grace period', async () => {
    const made = await heartbeat()
    await ping(made, at(0))
    const set = (paused: boolean, minutes: number) =>
      sql.begin(async (tx) => {
        await tx`update checks set paused = ${paused}, valid_from = ${new Date(at(minutes))} where id = ${made.checkId}`
        await rearmHeartbeat(tx, made.checkId, at(minutes))
      })
    await set(true, 5)
    const paused = ['operational', 'unknown']
    expect(await flipsOf(sql, made.checkId)).toMatchObject({ flips: paused, status: 'unknown' })
    expect((await look(at(60))).outcomes).toEqual([])
    await set(true, 61)
    await set(false, 70)
    expect((await look(at(75) - 1)).outcomes).toEqual([])
    expect(await flipsOf(sql, made.checkId)).toMatchObject({ flips: paused, told: 2 })
    expect((await look(at(75))).outcomes).toEqual(['missed'])
    expect(await flipsOf(sql, made.checkId)).toMatchObject({ flips: [...paused, 'down'], status: 'down' })
  })
})

describe('the watch', () => {
  test('records an outage of all control planes once', async () => {
    expect(await keepWatch(sql, at(0))).toBeNull()
    expect(await keepWatch(sql, at(0) + 2_000)).toBeNull()
    const found = await Promise.all([1, 2, 3].map(() => keepWatch(sql, at(60))))
    const outage = { fromMs: at(0) + 2_000, toMs: at(60) }
    expect(found.filter((one) => one !== null)).toEqual([outage])
    expect(await findOutages(sql)).toEqual([outage])
  })

  test('a slow clock is no outage and does not turn the last report back', async () => {
    await keepWatch(sql, at(10))
    expect(await keepWatch(sql, at(5))).toBeNull()
    expect(await keepWatch(sql, at(10) + 3_000)).toBeNull()
    expect(await findOutages(sql)).toEqual([])
  })

  test('no heartbeat goes down for an hour in which no ping could arrive', async () => {
    const made = await heartbeat()
    await keepWatch(sql, at(0))
    await ping(made, at(0))
    await sql`update heartbeat_watch set seen_at = ${new Date(at(5))}`
    await keepWatch(sql, at(65))
    await look(at(65))
    expect(await flipsOf(sql, made.checkId)).toMatchObject({ flips: ['operational'] })
    await look(at(80))
    expect(await flipsOf(sql, made.checkId)).toMatchObject({ flips: ['operational', 'down'] })
  })
})

describe('the loop', () => {
  test('applies deadlines only while it serves', async () => {
    const made = await heartbeat()
    await ping(made, at(0))
    await keepWatch(sql, at(16))
    const registry = new Registry()
    let serving = false
    let asked = 0
    const watcher = startDeadlineWatcher({
      sql,
      isServing: () => {
        asked += 1
        return serving
      },
      registry,
      log,
      now: () => at(16),
    })
    try {
      await vi.waitFor(() => expect(asked).toBeGreaterThan(1))
      expect(await flipsOf(sql, made.checkId)).toMatchObject({ flips: ['operational'] })
      serving = true
      await vi.waitFor(async () => {
        expect(await flipsOf(sql, made.checkId)).toMatchObject({ flips: ['operational', 'down'] })
      })
      await vi.waitFor(async () => {
        expect(await registry.metrics()).toContain('heartbeat_deadlines_total{outcome="missed"} 1')
      })
    } finally {
      await watcher.close()
    }
  })

  test('while clients cannot reach it, no deadline fires, then or later', async () => {
    const made = await heartbeat()
    await keepWatch(sql, at(9))
    await ping(made, at(0))
    let nowMs = at(9)
    let openMs = at(9)
    const watcher = startDeadlineWatcher({
      sql,
      isServing: () => true,
      reachableUntilMs: () => Math.min(nowMs, openMs),
      registry: new Registry(),
      log,
      now: () => nowMs,
    })
    const seen = async () => (await sql`select seen_at from heartbeat_watch`)[0]?.['seen_at']
    try {
      // its deadline was at 15 minutes
      nowMs = at(20)
      await vi.waitFor(async () => expect(await seen()).toEqual(new Date(at(9))))
      openMs = at(20)
      await vi.waitFor(async () => expect(await seen()).toEqual(new Date(at(20))))
      expect(await findOutages(sql)).toEqual([{ fromMs: at(9), toMs: at(20) }])
      await vi.waitFor(async () => expect(await outcomesOf(made)).not.toContain('missed'))
      expect(await flipsOf(sql, made.checkId)).toMatchObject({ flips: ['operational'] })
    } finally {
      await watcher.close()
    }
  })

  test('keeps the newest thousand runs of a heartbeat', async () => {
    const [made, other] = [await heartbeat(), await heartbeat()]
    const many = (count: number, pingKey: string) =>
      Array.from({ length: count }, (_, n) => ({
        pingKey,
        kind: 'fail' as const,
        rid: null,
        exitCode: n % 256,
        message: `run ${n}`,
        atMs: at(0) + n,
      }))
    await recordPings({ sql, now: () => at(0) }, [...many(1_100, made.pingKey), ...many(5, other.pingKey)])
    expect(await pruneRuns(sql, 20)).toBe(0)
    await ping(made, at(1))
    expect(await pruneRuns(sql, 20)).toBe(101)
    expect(await pruneRuns(sql, 20)).toBe(0)
    const [count] = await sql<{ count: number }[]>`
      select count(*)::integer as count from heartbeat_runs where check_id = ${made.checkId}`
    expect(count?.count).toBe(1_000)
    const newest = await findRuns(sql, made.checkId, 2)
    expect(newest.map(({ outcome, message }) => [outcome, message])).toEqual([
      ['success', null],
      ['failure', 'run 1099'],
    ])
    expect(await outcomesOf(other)).toHaveLength(5)
  })
})
