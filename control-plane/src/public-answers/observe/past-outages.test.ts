import type { Reading, Verdict } from '@probe-mesh/contracts/reading/reading'
import { useClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { beforeAll, expect, test } from 'vitest'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import {
  connectClickHouse,
  isClickHouseUnavailable,
  type ClickHouse,
} from '../../stores/clickhouse/connect.ts'
import { insertReadings } from '../../readings/insert-readings.ts'
import type { Outage } from '../past-outages.ts'
import { createPastOutages, outageCacheBounds, outagesOfRuns, provenRuns } from './past-outages.ts'
import { catalogReading, rowOf, testCatalog as catalog } from './testing.ts'

const clickhouse = useClickHouse()

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const staleAfterMs = 145_000
const nowMs = Math.floor(Date.now() / minuteMs) * minuteMs
/** Times relative to one day ago, and to 21 days ago. */
const t = (minute: number): number => nowMs - dayMs + minute * minuteMs
const old = (minute: number): number => t(minute) - 20 * dayMs

beforeAll(async () => {
  await insertReadings(clickhouse, [...ofOne(), ...ofTwo()].map(rowOf), 'history')
})

/** One reading a minute: `u`p, `d`own, `b`locked, `n`ot measured, or a space for no reading. */
const minutes = (
  probe: readonly [string, number],
  region: string,
  letters: string,
  at: (minute: number) => number,
): Reading[] =>
  [...letters].flatMap((letter, minute) => {
    const verdict = verdicts[letter]
    return verdict === undefined ? [] : [catalogReading(probe, region, verdict, at(minute))]
  })
const verdicts: Record<string, Verdict | undefined> = {
  u: 'up',
  d: 'down',
  b: 'blocked',
  n: 'unmeasured',
}
const ofOne = (): Reading[] => [
  ...minutes(['one', 0], 'fra', 'uuddudduuuu', old),
  ...minutes(['one', 0], 'iad', 'uuuudbduuuu', old),
  // goes silent while failing and still fails hours later: one outage with a gap
  ...minutes(['one', 0], 'fra', `udd${' '.repeat(200)}dduu`, t),
  // one failure in one region is not an outage by itself
  ...minutes(['one', 0], 'iad', 'uuuduunnnuu', t),
]
/** The second probe fails. Up readings of the first one do not end the outage. */
const ofTwo = (): Reading[] => [
  ...minutes(['two', 0], 'fra', 'uu    uuuuu', t),
  ...minutes(['two', 1], 'fra', 'uddddddduuu', (minute) => t(minute) + 1_000),
]

const whole = { recoveringMs: null, unmeasuredMs: 0 }
/** An unknown current health. */
const healthOf = () => ({ failures: [], upIn: [], goodAtMs: null, failedAtMs: null })

const cacheOf = () => createExpiringCache<readonly Outage[]>({ now: () => nowMs, ...outageCacheBounds })
const outagesOf = (from: ClickHouse = clickhouse) =>
  createPastOutages({
    clickhouse: from,
    catalog,
    staleAfterMs,
    cache: cacheOf(),
    healthOf,
    now: () => nowMs,
  })

test('lists the outages of all retained readings, newest first', async () => {
  expect(await outagesOf()('one')).toEqual([
    {
      startMs: t(1),
      endMs: t(205),
      regions: ['fra', 'iad'],
      readings: 5,
      recoveringMs: null,
      unmeasuredMs: t(203) - t(2),
    },
    { startMs: old(2), endMs: old(7), regions: ['fra', 'iad'], readings: 6, ...whole },
  ])
})

test('evaluates each probe of a service separately', async () => {
  expect(await outagesOf()('two')).toEqual([
    { startMs: t(1) + 1_000, endMs: t(8) + 1_000, regions: ['fra'], readings: 7, ...whole },
  ])
})

test('merges failures of two probes in one region into one outage', () => {
  const run = {
    region: 'fra',
    verdict: 'down',
    firstMs: nowMs - 9,
    lastMs: nowMs,
    count: 2,
  } as const
  const runs = ['a', 'b'].map((checkId) => ({ ...run, checkId }))
  expect(outagesOfRuns(runs, staleAfterMs, nowMs)).toEqual([
    { startMs: nowMs - 9, endMs: null, regions: ['fra'], readings: 4, ...whole },
  ])
})

test('a failure before the probe was first up in the region is not an outage', () => {
  const run = (region: string, verdict: 'up' | 'down', firstMs: number) => ({
    checkId: 'a',
    region,
    verdict,
    count: 2,
    firstMs,
    lastMs: firstMs + 10,
  })
  const down = [run('fra', 'down', nowMs - 90), run('fra', 'down', nowMs - 30)]
  const runs = [...down, run('fra', 'up', nowMs - 60), run('iad', 'down', nowMs - 90)]
  expect(provenRuns(runs, [])).toEqual([down[1], runs[2]])
  const hour = { checkId: 'a', region: 'iad', firstMs: nowMs - 90 - 3_600_000, lastMs: 0 }
  expect(provenRuns(runs, [hour])).toContain(runs[3])
  expect(provenRuns(runs, [{ ...hour, firstMs: hour.firstMs + 1 }])).not.toContain(runs[3])
})

test('a service outside the catalog has no outages and causes no query', async () => {
  expect(await outagesOf(await unavailable())('three')).toEqual([])
})

test('outages are cached for one minute', async () => {
  let clock = nowMs
  const cache = createExpiringCache<readonly Outage[]>({ now: () => clock, ...outageCacheBounds })
  const common = { catalog, staleAfterMs, cache, healthOf, now: () => clock }
  const first = await createPastOutages({ ...common, clickhouse })('one')
  const again = createPastOutages({ ...common, clickhouse: await unavailable() })
  clock += 60_000
  expect(await again('one')).toEqual(first)
  clock += 1
  await expect(again('one')).rejects.toSatisfy(isClickHouseUnavailable)
})

test('a new confirmed failure, even a past one, invalidates the cache', async () => {
  const cache = cacheOf()
  let failedAtMs: number | null = null
  const common = { catalog, staleAfterMs, cache, now: () => nowMs }
  const health = () => ({ ...healthOf(), upIn: ['fra'], failedAtMs })
  await createPastOutages({ ...common, clickhouse, healthOf: health })('one')
  const again = createPastOutages({ ...common, clickhouse: await unavailable(), healthOf: health })
  expect(await again('one')).toHaveLength(2)
  failedAtMs = nowMs - 1_000
  await expect(again('one')).rejects.toSatisfy(isClickHouseUnavailable)
})

test('every request fails while ClickHouse is unavailable', async () => {
  const load = outagesOf(await unavailable())
  await expect(load('one')).rejects.toSatisfy(isClickHouseUnavailable)
  await expect(load('two')).rejects.toSatisfy(isClickHouseUnavailable)
})

/** A connection to port 1, which no server uses. */
const unavailable = async (): Promise<ClickHouse> => connectClickHouse('http://127.0.0.1:1')
