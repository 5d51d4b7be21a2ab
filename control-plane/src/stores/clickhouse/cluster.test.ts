import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { startTestCluster, type TestCluster } from '@probe-mesh/infra/testing/clickhouse-cluster'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queryClickHouse } from '../../accounts/operations/query-clickhouse.ts'
import { aStoredEvent } from '@probe-mesh/error-tracking/events/testing'
import { readingAt } from '../../status/testing.ts'
import { latenessOf, storedSlotsOf, storedSlotsByRegion } from '../../mesh/ledger/account-slots-query.ts'
import { goodHours, runsOfChecks } from '../../public-answers/observe/catalog-runs-query.ts'
import { hoursOfChecks, stepsOfChecks } from '../../public-answers/observe/catalog-history-query.ts'
import { mediansOfHours, timesOfHours, timesSince } from '../../public-answers/observe/catalog-hours-query.ts'
import {
  firstFailures,
  newestDetails,
  newestMeasurements,
} from '../../public-answers/observe/catalog-newest-query.ts'
import { connectClickHouseCluster } from './cluster.ts'
import { connectClickHouse, isClickHouseUnavailable, type ClickHouse } from './connect.ts'
import { insertOccurrences } from '@probe-mesh/error-tracking/persist/insert-occurrences'
import { insertReadings, type ReadingRow } from '../../readings/insert-readings.ts'
import { migrateCluster } from './migrate-cluster.ts'
import { newestStoredSlots, storedReadingIds } from '../../mesh/ingest/stored-readings-query.ts'
import { countSpan, countSteps } from '@probe-mesh/error-tracking/issues/occurrence-counts-query'
import {
  findIssuesByMessage,
  findNewestOccurrences,
  findRecentOccurrences,
  purgeOccurrences,
} from '@probe-mesh/error-tracking/issues/occurrences-query'
import { openClickHouse } from './open.ts'
import { purgeReadings } from '../../readings/change-retention.ts'
import { findReadings } from '../../readings/list-readings.ts'
import { seriesOf } from '../../readings/series-query.ts'
import { shardOf } from './shard.ts'

let stores: TestCluster
let single: ClickHouse
/** Two shards with the same rows as the single server. */
let whole: ClickHouse
let torn: ClickHouse
/** One shard for writes, and the cluster after a second shard was added. */
let small: ClickHouse
let large: ClickHouse
beforeAll(async () => {
  stores = await startTestCluster()
  const [one, two] = stores.servers
  single = connectClickHouse(stores.single)
  whole = cluster([[stores.whole]])
  torn = cluster([[stores.torn]])
  small = cluster([[one]])
  large = cluster([[one], [two]])
  const middle = readings.length / 2
  await insertReadings(single, readings, uuidv7(now))
  await insertReadings(small, readings.slice(0, middle), uuidv7(now))
  await insertReadings(large, readings.slice(middle), uuidv7(now))
  for (const store of [single, large]) {
    const batch = uuidv7(now)
    await insertOccurrences(store, occurrences, { batch, token: batch })
  }
})
afterAll(async () => {
  await Promise.all([single, whole, torn, small, large].map((store) => store.close()))
  await stores.close()
})

/** Nothing is replicated here: all replicas use the same server. */
const cluster = (shards: string[][]): ClickHouse => {
  const connected = connectClickHouseCluster({ name: 'mesh', shards })
  return {
    ...connected,
    shards: connected.shards.map(({ use }) => ({ use, useCurrent: (_, act) => use(act) })),
  }
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const now = Date.now()
const from = Math.floor(now / hourMs) * hourMs - 2 * hourMs
const to = from + 2 * hourMs
const checkIds = Array.from({ length: 16 }, (_, n) => uuidv7(now + n))

const readingOf = (checkId: string, n: number, slot: number): Reading => {
  const region = slot % (3 * minuteMs) === 0 ? 'iad' : 'fra'
  const verdicts = ['up', 'up', 'up', 'down', 'up', 'blocked', 'down', 'unmeasured', 'down'] as const
  const verdict = verdicts[Math.floor(slot / (9 * minuteMs) + n) % verdicts.length] ?? 'up'
  return {
    ...readingAt(region, verdict, slot),
    checkId,
    latencyMs: region === 'fra' ? 12 : 80,
    lateMs: 3,
    ...(n % 4 === 0 ? { details: { type: 'http', cdn: 'a', nameservers: [] } as never } : {}),
  }
}
/** One reading a minute for each check; the first half covers the first hour. */
const readings: ReadingRow[] = Array.from({ length: (to - from) / minuteMs }, (_, minute) =>
  checkIds.map((checkId, n) => ({
    reading: readingOf(checkId, n, from + minute * minuteMs),
    agent: 'fra-1',
    receivedAtMs: from + minute * minuteMs + 250,
    rawDays: 30,
    hourDays: 90,
  })),
).flat()

const projectIds = Array.from({ length: 6 }, (_, n) => uuidv7(now + n))
const issueIds = Array.from({ length: 6 }, (_, n) => uuidv7(now + n))
const occurrences = projectIds.flatMap((projectId, n) =>
  Array.from({ length: 10 }, (_, k) => ({
    event: aStoredEvent(projectId, { at: from + k * minuteMs, receivedAt: from + k * minuteMs }),
    issueId: issueIds[n] ?? '',
    keepDays: 90,
  })),
)

const [check = '', projectId = '', issueId = ''] = [checkIds[3], projectIds[1], issueIds[1]]
const signal = new AbortController().signal
const span = { checkIds, fromMs: from, toMs: to }
const hours = [from, from + hourMs]
const series = { checkId: check, fromMs: from, toMs: to, stepSeconds: 300 }
const issues = [{ id: issueId, lastSeenMs: from + 9 * minuteMs }]

/** All queries of the time series, by name. */
const questions: Record<string, (store: ClickHouse) => Promise<unknown>> = {
  storedSlotsByRegion: (store) => storedSlotsByRegion(store, from, to),
  storedSlotsOf: (store) => storedSlotsOf(store, span, signal),
  latenessOf: (store) => latenessOf(store, span, signal),
  goodHours: (store) => goodHours(store, checkIds),
  hoursOfChecks: (store) => hoursOfChecks(store, span),
  stepsOfChecks: (store) => stepsOfChecks(store, { ...span, stepSeconds: 600 }),
  mediansOfHours: (store) => mediansOfHours(store, checkIds, hours),
  timesOfHours: (store) => timesOfHours(store, checkIds, hours),
  timesSince: (store) => timesSince(store, checkIds, from),
  newestMeasurements: (store) =>
    newestMeasurements(store, { checkIds, fromMs: from, freshFromMs: to - 20 * minuteMs }),
  firstFailures: (store) => firstFailures(store, { checkIds, fromMs: from }),
  newestDetails: (store) => newestDetails(store, { checkIds, fromMs: from }),
  runsOfChecks: (store) => runsOfChecks(store, { checkIds, fromMs: from, gapMs: 3 * minuteMs }),
  findReadings: (store) => findReadings(store, { checkId: check, limit: 50 }),
  seriesByMinutes: (store) => seriesOf(store, series),
  seriesByHours: (store) => seriesOf(store, { ...series, stepSeconds: 3_600 }),
  countSpan: (store) =>
    countSpan(
      store,
      {
        projectIds,
        of: 'issue',
        dayFromMs: from - hourMs,
        fromMs: from + 5 * minuteMs,
        untilMs: to,
        eventsMin: 1,
        limit: 100,
      },
      signal,
    ),
  countSteps: (store) =>
    countSteps(store, { projectId, issueIds, fromMs: from, toMs: to, stepSeconds: 120 }, signal),
  findNewestOccurrences: (store) => findNewestOccurrences(store, projectId, issues),
  newestWhereNoneIsKnown: (store) =>
    findNewestOccurrences(store, projectId, [{ id: issueId, lastSeenMs: from - 1 }]),
  findRecentOccurrences: (store) => findRecentOccurrences(store, { id: issueId, projectId }, 5),
  findIssuesByMessage: (store) => findIssuesByMessage(store, projectId, 'UNDEFINED'),
}
const names = Object.keys(questions)

/** Maps as entries and rows sorted, because the rows of a cluster arrive in any order. */
const plain = (value: unknown): unknown => {
  if (value instanceof Map) return plain([...value])
  if (Array.isArray(value)) return value.map(plain).toSorted(byText)
  return value
}
const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

describe('a cluster', () => {
  test('has each check on the shard that owns it, in the rollups too', async () => {
    const query = `
      select toString(check_id) as id, count() as readings,
        (select sum(up + down + blocked + unmeasured) from readings_minute) as minutes
      from readings_raw where slot >= fromUnixTimestamp64Milli({middle:Int64}) group by id`
    for (const [place, shard] of large.shards.entries()) {
      const rows = await shard.use(async (replica) => {
        const query_params = { middle: from + hourMs }
        const result = await replica.query({ query, query_params, format: 'JSONEachRow' })
        return result.json<{ id: string; readings: number; minutes: number }>()
      })
      const owned = checkIds.filter((id) => shardOf(id, 2) === place)
      expect(owned.length).toBeGreaterThan(0)
      expect(rows.map(({ id }) => id).toSorted()).toEqual(owned.toSorted())
      expect(new Set(rows.map((row) => row.readings))).toEqual(new Set([60]))
      const before = place === 0 ? checkIds.length * 60 : 0
      expect(rows[0]?.minutes).toBe(before + owned.length * 60)
    }
  })

  test.each(names)('%s: is answered as by one server', async (name) => {
    const ask = questions[name]
    if (ask === undefined) throw new Error('no such question')
    const answer = plain(await ask(whole))
    expect(answer).toEqual(plain(await ask(single)))
    expect(JSON.stringify(answer).length).toBeGreaterThan(20)
  })

  test('gives no answer without one of its shards', async () => {
    const asked = Object.values(questions).map((ask) => ask(torn))
    const outcomes = await Promise.allSettled(asked)
    const reasons = outcomes.map((one) => (one.status === 'rejected' ? one.reason : one))
    expect(names.filter((_, at) => !isClickHouseUnavailable(reasons[at]))).toEqual([])
  })

  test('an unavailable shard is SV-9002 for every query', async () => {
    const context = { clickhouse: torn, log: pino({ level: 'silent' }) }
    const asked = queryClickHouse(context, 'an account', () => seriesOf(torn, series))
    expect(await asked).toMatchObject({ refused: 'SV-9002', status: 503 })
  })

  test('finds stored readings on any shard, even after a check moved', async () => {
    const asked = readings.map(({ reading }) => reading)
    const unknown = asked.map((reading) => ({ ...reading, slot: reading.slot + 1 }))
    expect(await storedReadingIds(large, [...asked, ...unknown])).toEqual(
      await storedReadingIds(single, asked),
    )
    expect(await newestStoredSlots(large, asked)).toEqual(await newestStoredSlots(single, asked))
  })

  test('of wrongly configured servers is refused, with all problems of each', async () => {
    const other = connectClickHouseCluster({ name: 'mesh', shards: [[stores.single]] })
    const migrated = migrateCluster(other).finally(() => other.close())
    const problems = ['macro shard is not set', 'macro replica is not set', 'list 0 shards of mesh']
    await expect(migrated).rejects.toSatisfy((error: Error) =>
      problems.every((problem) => error.message.includes(problem)),
    )
  })

  test('without a replica of each shard is not opened', async () => {
    const cluster = {
      name: 'mesh',
      shards: [['http://127.0.0.1:1/mesh', 'http://127.0.0.1:9/mesh']],
    }
    const opened = openClickHouse({ url: '', cluster }, pino({ level: 'silent' }))
    await expect(opened).rejects.toThrow('all replicas of ClickHouse shard 1 are unavailable')
  })

  test('cannot be inserted into past its shards', async () => {
    const inserted = whole.insert({ table: 'readings_raw', values: [{}], format: 'JSONEachRow' })
    await expect(inserted).rejects.toThrow('no sharding key')
  })

  test('forgets a check on every shard that had it', async () => {
    await purgeReadings(large, checkIds)
    await purgeOccurrences(large, projectIds)
    for (const shard of large.shards) {
      const left = await shard.use(async (replica) => {
        const result = await replica.query({
          query: `
            select (select count() from readings_raw) + (select count() from readings_minute)
              + (select count() from readings_hour) + (select count() from error_occurrences) as rows`,
          format: 'JSONEachRow',
        })
        return result.json()
      })
      expect(left).toEqual([{ rows: 0 }])
    }
  })
})
