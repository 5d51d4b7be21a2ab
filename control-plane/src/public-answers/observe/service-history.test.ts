import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import type { ServiceHistory } from '@probe-mesh/contracts/outage/service-page'
import { useClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { beforeAll, expect, test } from 'vitest'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import {
  connectClickHouse,
  isClickHouseUnavailable,
  type ClickHouse,
} from '../../stores/clickhouse/connect.ts'
import { insertReadings } from '../../readings/insert-readings.ts'
import { historySpans, createServiceHistory, historyCacheBounds } from './service-history.ts'
import { catalogReading, rowOf, testCatalog as catalog } from './testing.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** In the middle of a step and of a day, so that the last hours lie in two days. */
const nowMs = Math.floor(Date.now() / dayMs) * dayMs + 12 * hourMs + 7 * minuteMs
const { steps: span } = historySpans(nowMs)

const clickhouse = useClickHouse()
beforeAll(async () => {
  const read = (
    probe: readonly [string, number],
    region: string,
    verdict: Verdict,
    atMs: number,
    latencyMs: number | null = null,
  ) => rowOf(catalogReading(probe, region, verdict, atMs, { latencyMs }))
  const step = (index: number): number => span.fromMs + index * 15 * minuteMs
  await insertReadings(
    clickhouse,
    [
      // the day before yesterday: one up and one down reading
      read(['one', 0], 'fra', 'up', nowMs - 2 * dayMs, 10),
      read(['one', 0], 'fra', 'down', nowMs - 2 * dayMs + minuteMs),
      // the last 24 hours
      read(['one', 0], 'fra', 'up', step(4), 100),
      read(['one', 0], 'iad', 'up', step(4) + minuteMs, 300),
      read(['one', 0], 'fra', 'down', step(5)),
      read(['one', 0], 'fra', 'blocked', step(6)),
      read(['one', 0], 'fra', 'unmeasured', step(6) + minuteMs),
      // never up there, so the expectation may be wrong
      read(['one', 0], 'nrt', 'down', step(8)),
      read(['two', 1], 'fra', 'up', step(4), 100),
    ],
    'history',
  )
})

const cacheOf = (now: () => number) => createExpiringCache<ServiceHistory>({ now, ...historyCacheBounds })
const historyOf = (from: ClickHouse = clickhouse, now = () => nowMs) =>
  createServiceHistory({ clickhouse: from, catalog, cache: cacheOf(now), now })
/** A connection to port 1, which no server uses. */
const unavailable = (): ClickHouse => connectClickHouse('http://127.0.0.1:1')

test('steps and days count the readings of all regions, and stay empty without readings', async () => {
  const { steps, days, upShare } = await historyOf()('one')
  const counts = { p50Ms: null, p95Ms: null, up: 0, down: 0, blocked: 0, unmeasured: 0 }
  const filled = steps.flatMap(({ p50Ms, p95Ms, up, down, blocked, unmeasured }, index) =>
    up + down + blocked + unmeasured === 0 ? [] : [[index, { p50Ms, p95Ms, up, down, blocked, unmeasured }]],
  )
  expect(filled).toEqual([
    [4, { ...counts, p50Ms: expect.any(Number), p95Ms: expect.any(Number), up: 2 }],
    [5, { ...counts, down: 1 }],
    [6, { ...counts, blocked: 1, unmeasured: 1 }],
    [8, { ...counts, unmeasured: 1 }],
  ])
  expect(steps[4]?.p50Ms).toBeGreaterThanOrEqual(100)
  expect(steps[4]?.p95Ms).toBeLessThanOrEqual(300)
  expect(days.at(-3)).toMatchObject({ upShare: 0.5, measuredSeconds: 3_600 })
  expect(days.at(-2)?.upShare).toBe(0.666666)
  expect(days.at(-4)?.upShare).toBeNull()
  expect(upShare).toBe(0.6)
})

test('the history contains all probes of a service, and no data outside the catalog', async () => {
  expect((await historyOf()('two')).steps[4]?.up).toBe(1)
  expect((await historyOf(unavailable())('three')).upShare).toBeNull()
})

test('fails while ClickHouse is unavailable, unless the history is cached', async () => {
  await expect(historyOf(unavailable())('one')).rejects.toSatisfy(isClickHouseUnavailable)
  let clock = nowMs
  const cache = cacheOf(() => clock)
  const first = await createServiceHistory({ clickhouse, catalog, cache, now: () => clock })('one')
  const again = createServiceHistory({ clickhouse: unavailable(), catalog, cache, now: () => clock })
  clock += historyCacheBounds.ageMsMax
  expect(await again('one')).toBe(first)
  clock += 1
  await expect(again('one')).rejects.toSatisfy(isClickHouseUnavailable)
})
