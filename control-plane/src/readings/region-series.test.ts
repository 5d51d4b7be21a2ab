import { RegionSeries, regionSeriesPointsMax } from '@probe-mesh/contracts/check/region-series'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeAll, describe, expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'
import { asUser, loggedIn } from '../app/testing/log-in.ts'
import { readingAt } from '../status/testing.ts'
import { connectClickHouse } from '../stores/clickhouse/connect.ts'
import { chartWindow } from './get-region-series.ts'
import { insertReadings } from './insert-readings.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const nowMs = Date.parse('2026-11-20T12:34:56.789Z')

describe('the steps of a chart', () => {
  const stepOf = (spanMs: number): number => {
    const window = chartWindow({ from: nowMs - spanMs }, { nowMs, minutesFromMs: 0 })
    return 'problems' in window ? Number.NaN : window.stepSeconds
  }

  test.each([
    ['5 min', 5 * minuteMs, 60],
    ['1 h', hourMs, 60],
    ['6 h', 6 * hourMs, 60],
    ['24 h', dayMs, 300],
    ['7 d', 7 * dayMs, 1_800],
    ['30 d', 30 * dayMs, 7_200],
    ['90 d', 90 * dayMs, 21_600],
  ])('are short enough for %s', (_name, spanMs, seconds) => {
    expect(stepOf(spanMs)).toBe(seconds)
  })

  test('cover every range, aligned, with a bounded number of points', () => {
    forAll(
      [
        fc.integer({ min: 300, max: 90 * 86_400 }),
        fc.integer({ min: 0, max: 100 * 86_400 }),
        fc.integer({ min: 1, max: 60 }),
      ],
      (seconds, agoSeconds, rawDays) => {
        const to = nowMs - agoSeconds * 1000
        const from = to - seconds * 1000
        const minutesFromMs = nowMs - rawDays * dayMs
        const window = chartWindow({ from, to }, { nowMs, minutesFromMs })
        if ('problems' in window) throw new Error('the range is allowed')
        const stepMs = window.stepSeconds * 1000
        expect([window.fromMs % stepMs, window.toMs % stepMs, dayMs % stepMs]).toEqual([0, 0, 0])
        expect(window.fromMs).toBeLessThanOrEqual(from)
        expect(window.toMs).toBeGreaterThanOrEqual(to)
        const points = (window.toMs - window.fromMs) / stepMs
        expect(points).toBeLessThanOrEqual(regionSeriesPointsMax + 2)
        // expired minutes are read as hours
        if (from < minutesFromMs) expect(window.stepSeconds % 3_600).toBe(0)
      },
    )
  })

  test.each([
    ['less than 5 minutes', { from: nowMs - 299_999 }],
    ['more than 90 days', { from: nowMs - 90 * dayMs - 1 }],
    ['no time', { from: nowMs, to: nowMs }],
    ['time that runs backwards', { from: nowMs, to: nowMs - hourMs }],
  ])('are refused for %s', (_name, query) => {
    expect(chartWindow(query, { nowMs, minutesFromMs: 0 })).toMatchObject({ problems: [{ path: 'from' }] })
  })
})

describe('the series of a check', () => {
  let checkId: string
  const to = Math.floor((Date.now() - 10 * minuteMs) / hourMs) * hourMs
  const from = to - hourMs
  const iso = (ms: number): string => new Date(ms).toISOString()

  const clickhouse = useTestClickHouse()
  const at = useTestApp(() => ({ clickhouseUrl: clickhouse.url, config: { budgetScale: 1_000 } }))
  const user = useOnce(() => loggedIn(at))
  beforeAll(async () => {
    const made = await asUser(at, user, 'POST', '/checks', {
      name: 'shop',
      url: 'https://example.org/',
      regions: ['nrt', 'fra'],
    })
    checkId = made.json.id
    const client = connectClickHouse(clickhouse.url)
    const measured = [
      ['fra', 'up', 0, 10],
      ['fra', 'down', 1, 999],
      ['nrt', 'up', 0, 30],
      ['nrt', 'blocked', 2, 999],
      ['nrt', 'unmeasured', 3, 999],
      // a former region
      ['iad', 'up', 59, 70],
      // outside
      ['fra', 'up', -1, 999],
      ['fra', 'up', 60, 999],
    ] as const
    await insertReadings(
      client,
      measured.map(([region, verdict, minute, latencyMs]) => ({
        reading: readingAt(region, verdict, from + minute * minuteMs + 7_000, { checkId, latencyMs }),
        agent: `${region}-1`,
        receivedAtMs: to,
        rawDays: 30,
        hourDays: 400,
      })),
      crypto.randomUUID(),
    )
    await client.close()
  })

  const get = (query: string, id = checkId) => asUser(at, user, 'GET', `/checks/${id}/region-series${query}`)

  test('has one entry for each step, by region and over all', async () => {
    const { json } = await get(`?from=${iso(from)}&to=${iso(to)}`)
    const series = RegionSeries.parse(json)
    expect(series).toMatchObject({ checkId, from: iso(from), to: iso(to), stepSeconds: 60 })
    expect(series.regions.map(({ region }) => region)).toEqual(['nrt', 'fra', 'iad'])
    const lists = [
      ...Object.values(series.all),
      ...series.regions.flatMap(({ p50Ms, down }) => [p50Ms, down]),
    ]
    expect(lists.map(({ length }) => length)).toEqual(lists.map(() => 60))
    const [nrt, fra, iad] = series.regions
    expect([nrt?.p50Ms[0], fra?.p50Ms[0], fra?.p50Ms[1], iad?.p50Ms[59]]).toEqual([30, 10, null, 70])
    expect([fra?.down[1], nrt?.down[2]]).toEqual([1, 0])
    const { all } = series
    expect([all.up[0], all.down[1], all.blocked[2], all.unmeasured[3], all.up[59]]).toEqual([2, 1, 1, 1, 1])
    expect(all.p50Ms.filter((ms) => ms !== null)).toHaveLength(2)
    expect([all.p99Ms[0], all.p95Ms[59]]).toEqual([30, 70])
    expect(all.up.reduce((sum, count) => sum + count, 0)).toBe(3)
    expect(series.whole.p50Ms).toBe(30)
    expect(series.whole.p95Ms).toBe(70)
  })

  test('is of the last day by default, and of whole hours for a quarter', async () => {
    expect((await get('')).json).toMatchObject({ stepSeconds: 300 })
    const { json } = await get(`?from=${iso(to - 89 * dayMs)}&to=${iso(to)}`)
    expect(RegionSeries.parse(json)).toMatchObject({ stepSeconds: 21_600 })
    // the aligned window has the reading before it, and the one after it unless it ends on a step
    const ups = Date.parse(json.to) > to ? 5 : 4
    expect(json.all.up.reduce((sum: number, count: number) => sum + count, 0)).toBe(ups)
  })

  test.each([
    ['?from=yesterday', 'from'],
    [`?from=${iso(to)}&to=${iso(from)}`, 'from'],
    ['?more=1', 'more'],
  ])('is refused for %s', async (query, path) => {
    expect(await get(query)).toMatchObject({ status: 422, json: { errors: [{ path }] } })
  })

  test('of a check of another account is not found', async () => {
    const other = await loggedIn(at)
    expect(await asUser(at, other, 'GET', `/checks/${checkId}/region-series`)).toMatchObject({
      status: 404,
    })
  })
})
