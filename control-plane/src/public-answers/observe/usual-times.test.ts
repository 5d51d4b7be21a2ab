import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { useClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { beforeAll, expect, test } from 'vitest'
import { insertReadings } from '../../readings/insert-readings.ts'
import { createBaselines } from './baselines.ts'
import { sameHours } from './catalog-hours-query.ts'
import { catalogReading, checkIdOf, rowOf, testCatalog as catalog } from './testing.ts'
import { createResponseTimes } from './response-times.ts'

const clickhouse = useClickHouse()

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** Half past an hour, so that the last minutes lie in the current clock hour. */
const nowMs = Math.floor(Date.now() / hourMs) * hourMs - hourMs / 2
const regions = ['fra', 'iad']

beforeAll(async () => {
  await insertReadings(clickhouse, history().map(rowOf), 'history')
})

/**
 * `one` in fra: 100 ms at this hour of each day, 900 ms at other hours, and 200 ms now. The second probe of
 * `two` is slow in fra. iad has readings of today only.
 */
const history = (): Reading[] => [
  ...[1, 2, 3, 4, 5, 6, 7].flatMap((day) =>
    [-1, 0, 1].flatMap((hour) =>
      [0, 1, 2, 3, 4].map((k) =>
        catalogReading(['one', 0], 'fra', 'up', nowMs - day * dayMs + hour * hourMs - k * minuteMs, {
          latencyMs: hour === 0 ? 98 + k : 900,
        }),
      ),
    ),
  ),
  ...[1, 2].flatMap((day) => [
    catalogReading(['two', 1], 'fra', 'up', nowMs - day * dayMs, { latencyMs: 3_000 }),
    catalogReading(['two', 1], 'fra', 'down', nowMs - day * dayMs + 1, { latencyMs: 1 }),
  ]),
  ...[1, 2, 3, 4].flatMap((k) => [
    catalogReading(['one', 0], 'fra', 'up', nowMs - k * minuteMs, { latencyMs: 200 + k }),
    catalogReading(['two', 0], 'fra', 'up', nowMs - k * minuteMs, { latencyMs: 200 - k }),
    catalogReading(['two', 0], 'fra', 'blocked', nowMs - k * minuteMs - 1, { latencyMs: 1 }),
    catalogReading(['one', 0], 'iad', 'up', nowMs - k * minuteMs, { latencyMs: 50 }),
    catalogReading(['one', 0], 'iad', 'up', nowMs - k, { latencyMs: 1, kind: 'manual', number: k }),
  ]),
  catalogReading(['one', 0], 'fra', 'up', nowMs - 11 * minuteMs, { latencyMs: 9_000 }),
  {
    ...catalogReading(['one', 0], 'fra', 'up', nowMs, { latencyMs: 9_000 }),
    checkId: uuidv7(nowMs),
  },
]

test('the same hours are the current clock hour on each of the seven days before', () => {
  const hours = sameHours(Date.parse('2026-11-20T12:34:56.000Z'))
  expect(hours.map((ms) => new Date(ms).toISOString())).toEqual(
    [19, 18, 17, 16, 15, 14, 13].map((day) => `2026-11-${day}T12:00:00.000Z`),
  )
})

test('a baseline is the median of this hour on the days before, per probe and region', async () => {
  const baselines = createBaselines({ clickhouse, catalog, now: () => nowMs })
  const of = (slug: string, probe: number, region: string) =>
    baselines.of(checkIdOf(catalog, slug, probe), region)
  expect([of('one', 0, 'fra'), baselines.version()]).toEqual([null, 0])
  await baselines.refresh()
  expect(of('one', 0, 'fra')).toEqual({ p50Ms: 100, samples: 35 })
  expect(of('two', 1, 'fra')).toEqual({ p50Ms: 3_000, samples: 2 })
  expect([of('one', 0, 'iad'), of('two', 0, 'fra')]).toEqual([null, null])
  expect(baselines.version()).toBe(1)
  await baselines.refresh()
  expect(baselines.version()).toBe(1)
})

test('a baseline expires after two hours without a refresh', async () => {
  let clock = nowMs
  const baselines = createBaselines({ clickhouse, catalog, now: () => clock })
  await baselines.refresh()
  clock += hourMs
  expect(baselines.of(checkIdOf(catalog, 'one'), 'fra')).not.toBeNull()
  clock += hourMs
  expect(baselines.of(checkIdOf(catalog, 'one'), 'fra')).toBeNull()
})

test('weather covers all services, now and at this hour of the days before', async () => {
  const weather = createResponseTimes({ clickhouse, catalog, regions, now: () => nowMs })
  await weather.refresh()
  const [fra, iad] = weather.regions()
  // with few samples the digest returns a value between the two in the middle
  expect(fra?.now).toMatchObject({ samples: 8 })
  expect(Math.abs((fra?.now?.p50Ms ?? 0) - 200)).toBeLessThanOrEqual(1)
  expect(fra?.days.map(({ samples }) => samples).toSorted()).toEqual([5, 5, 5, 5, 5, 6, 6])
  expect(fra?.days.every(({ p50Ms }) => p50Ms >= 100 && p50Ms <= 101)).toBe(true)
  expect(iad).toEqual({
    region: 'iad',
    now: { p50Ms: 50, p75Ms: 50, p95Ms: 50, samples: 4 },
    days: [],
    responseRatio: null,
    dayRatios: [],
  })
  // the only service with three days of history now takes twice its usual time
  expect(fra?.responseRatio).toEqual({ ratio: expect.closeTo(2.02, 1), services: 1 })
  expect(fra?.dayRatios).toEqual(Array.from({ length: 7 }, () => ({ ratio: 1, services: 1 })))
})

test('weather is unknown if its last refresh is older than its window', async () => {
  let clock = nowMs
  const weather = createResponseTimes({ clickhouse, catalog, regions, now: () => clock })
  const unknown = regions.map((region) => ({
    region,
    now: null,
    days: [],
    responseRatio: null,
    dayRatios: [],
  }))
  expect(weather.regions()).toEqual(unknown)
  await weather.refresh()
  clock += 599_999
  expect(weather.regions()[0]?.now).not.toBeNull()
  clock += 1
  expect(weather.regions()).toEqual(unknown)
})
