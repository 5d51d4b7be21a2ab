import { Series, StoredReading, type SeriesPoint } from '@probe-mesh/contracts/check/check'
import { slotPhase } from '@probe-mesh/contracts/reading/slots'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { beforeAll, describe, expect, test } from 'vitest'
import { connectClickHouse } from '../../stores/clickhouse/connect.ts'
import { insertReadings } from '../../readings/insert-readings.ts'
import { readingAt } from '../../status/testing.ts'
import { useTestApp, type TestAccount } from '../../app/testing/test-app.ts'

const hourMs = 3_600_000
const minuteMs = 60_000

let account: TestAccount
let checkId: string
/**
 * The check exists for two whole hours, both completely due. The first hour has all readings except ten slots of
 * fra.
 */
const to = Math.floor((Date.now() - 10 * minuteMs) / hourMs) * hourMs
const from = to - 2 * hourMs
const regions = ['fra', 'nrt']

const clickhouse = useTestClickHouse()
const at = useTestApp(() => ({ clickhouseUrl: clickhouse.url }))
const away = useTestApp()
beforeAll(async () => {
  account = await at.account('scale')
  const created = await at.call('POST', '/v1/checks', {
    key: account.writeKey,
    body: { name: 'web', url: 'https://example.org/', intervalSeconds: 60, regions },
  })
  checkId = created.json.id
  await at.sql`update check_revisions set valid_from = ${new Date(from)} where check_id = ${checkId}`
  const readings = regions.flatMap((region) => {
    const first = from + slotPhase(checkId, region, minuteMs)
    return Array.from({ length: 60 }, (_, n) => n)
      .filter((n) => region === 'nrt' || n < 20 || n >= 30)
      .map((n) =>
        readingAt(region, n === 5 ? 'down' : n === 6 ? 'blocked' : 'up', first + n * minuteMs, {
          checkId,
          latencyMs: region === 'fra' ? 10 : 30,
        }),
      )
  })
  const client = connectClickHouse(clickhouse.url)
  await insertReadings(
    client,
    readings.map((reading) => ({
      reading,
      agent: `${reading.region}-1`,
      receivedAtMs: reading.measuredAt + 500,
      rawDays: 30,
      hourDays: 400,
    })),
    crypto.randomUUID(),
  )
  await client.close()
})

const get = (path: string) => at.call('GET', `/v1/checks/${checkId}${path}`, { key: account.readKey })
const iso = (ms: number): string => new Date(ms).toISOString()

describe('readings', () => {
  test('pages have every reading once, newest first', async () => {
    const seen: StoredReading[] = []
    let cursor: string | null = ''
    for (let page = 0; cursor !== null; page++) {
      expect(page).toBeLessThan(10)
      const next: string = cursor === '' ? '' : `&cursor=${cursor}`
      const { json } = await get(`/readings?limit=25${next}`)
      for (const reading of json.readings) expect(reading).toEqual(StoredReading.parse(reading))
      seen.push(...json.readings)
      cursor = json.nextCursor
    }
    expect(seen).toHaveLength(110)
    expect(new Set(seen.map(({ region, slot }) => `${region} ${slot}`)).size).toBe(110)
    const slots = seen.map(({ slot }) => slot)
    expect(slots).toEqual(slots.toSorted().toReversed())
  })

  test('include from, exclude to, and can be filtered by region', async () => {
    const first = from + slotPhase(checkId, 'nrt', minuteMs)
    const range = `from=${iso(first)}&to=${iso(first + minuteMs)}`
    const { json } = await get(`/readings?${range}&region=nrt`)
    expect(json).toMatchObject({
      readings: [{ region: 'nrt', slot: iso(first) }],
      nextCursor: null,
    })
  })

  test('all problems of a query are listed', async () => {
    const answer = await get('/readings?from=yesterday&limit=0&region=FRA&colour=red')
    expect(answer.status).toBe(422)
    expect(answer.json.errors.map((error: { path: string }) => error.path).toSorted()).toEqual([
      'colour',
      'from',
      'limit',
      'region',
    ])
  })

  test.each([
    ['limit=1001', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['cursor=nonsense', 'cursor'],
    ['cursor=W10', 'cursor'],
    [`from=${iso(to)}&to=${iso(to)}`, 'from'],
  ])('%s is refused at %s', async (query, path) => {
    expect(await get(`/readings?${query}`)).toMatchObject({
      status: 422,
      json: { errors: [{ path }] },
    })
  })
})

describe('series', () => {
  const series = async (query: string) => {
    const { json } = await get(`/series?${query}`)
    expect(json).toEqual(Series.parse(json))
    return json as Series
  }
  const sum = (points: SeriesPoint[], name: 'due' | 'measured' | 'lost' | 'up'): number =>
    points.reduce((total, point) => total + point[name], 0)

  test('counts due minus measured as lost: ten slots of fra, and an hour without readings', async () => {
    const { points } = await series(`from=${iso(from)}&to=${iso(to)}&step=3600`)
    expect(points).toMatchObject([
      { at: iso(from), due: 120, measured: 110, lost: 10, up: 106, down: 2, blocked: 2 },
      { due: 120, measured: 0, lost: 120, availability: null, p50Ms: null },
    ])
    expect(points[0]?.availability).toBeCloseTo(106 / 108, 5)
    expect(points[0]).toMatchObject({ p50Ms: 30, p99Ms: 30 })
  })

  test('minutes add up to the hour, without a gap', async () => {
    const { points } = await series(`from=${iso(from)}&to=${iso(to)}&step=60&region=fra`)
    expect(points).toHaveLength(120)
    expect([sum(points, 'due'), sum(points, 'measured'), sum(points, 'lost')]).toEqual([120, 50, 70])
    expect(points[25]).toMatchObject({ due: 1, measured: 0, lost: 1, availability: null })
  })

  test('slots that may still arrive, and future slots, are not due', async () => {
    const soon = Math.floor(Date.now() / minuteMs) * minuteMs - minuteMs
    const { points } = await series(`from=${iso(soon)}&to=${iso(soon + hourMs)}&step=60`)
    expect(sum(points, 'due')).toBe(0)
    expect(sum(points, 'lost')).toBe(0)
  })

  test('a slot whose reading is stored is due, however young it is', async () => {
    const soon = Math.floor(Date.now() / minuteMs) * minuteMs - 2 * minuteMs
    const { json: young } = await at.call('POST', '/v1/checks', {
      key: account.writeKey,
      body: { name: 'young', url: 'https://example.com/', intervalSeconds: 60, regions: ['fra'] },
    })
    const client = connectClickHouse(clickhouse.url)
    await insertReadings(
      client,
      [soon, soon + minuteMs].map((atMs) => ({
        reading: readingAt('fra', 'up', atMs, { checkId: young.id }),
        agent: 'fra-1',
        receivedAtMs: atMs,
        rawDays: 30,
        hourDays: 400,
      })),
      crypto.randomUUID(),
    )
    await client.close()
    for (const step of [60, 3_600]) {
      const { json } = await at.call('GET', `/v1/checks/${young.id}/series?step=${step}`, {
        key: account.readKey,
      })
      const totals = ['due', 'measured', 'lost'].map((name) => sum(json.points, name as 'due'))
      expect(totals).toEqual([2, 2, 0])
    }
  })

  test('readings expired by retention are not lost', async () => {
    await at.sql`update check_revisions set valid_from = ${new Date(0)} where check_id = ${checkId}`
    const old = to - 101 * 86_400_000
    const day = await series(`from=${iso(old)}&to=${iso(old + hourMs)}&step=60`)
    const byHour = await series(`from=${iso(old)}&to=${iso(old + hourMs)}&step=3600`)
    await at.sql`update check_revisions set valid_from = ${new Date(from)} where check_id = ${checkId}`
    expect([sum(day.points, 'lost'), sum(byHour.points, 'lost')]).toEqual([0, 120])
  })

  test('the default is the last day', async () => {
    const { points, stepSeconds } = await series('')
    expect(stepSeconds).toBe(300)
    expect(points.length).toBeGreaterThanOrEqual(288)
    expect(sum(points, 'measured')).toBe(110)
  })

  test.each([
    ['step=90', 'step'],
    ['step=59', 'step'],
    [`step=60&from=${iso(to - 2_001 * minuteMs)}&to=${iso(to)}`, 'step'],
    [`from=${iso(to)}&to=${iso(from)}`, 'from'],
  ])('%s is refused at %s', async (query, path) => {
    expect(await get(`/series?${query}`)).toMatchObject({
      status: 422,
      json: { errors: [{ path }] },
    })
  })

  test('the maximum number of points is allowed', async () => {
    const { points } = await series(`step=60&from=${iso(to - 2_000 * minuteMs)}&to=${iso(to)}`)
    expect(points).toHaveLength(2_000)
  })
})

describe('while ClickHouse is unavailable', () => {
  test('history is SV-9002 with Retry-After, and the check is still answered', async () => {
    const { writeKey } = await away.account('scale')
    const body = { name: 'web', url: 'https://example.org/' }
    const { json } = await away.call('POST', '/v1/checks', { key: writeKey, body })
    for (const path of ['readings', 'series']) {
      const answer = await away.call('GET', `/v1/checks/${json.id}/${path}`, { key: writeKey })
      expect(answer).toMatchObject({ status: 503, json: { code: 'SV-9002' } })
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    }
    expect(await away.call('GET', `/v1/checks/${json.id}`, { key: writeKey })).toMatchObject({
      status: 200,
      json: { status: 'unknown' },
    })
  })
})

test('a reading from the future is in neither the readings nor the series', async () => {
  const { json: check } = await at.call('POST', '/v1/checks', {
    key: account.writeKey,
    body: { name: 'ahead', url: 'https://example.com/', intervalSeconds: 60, regions: ['fra'] },
  })
  const nowMs = Date.now()
  const client = connectClickHouse(clickhouse.url)
  await insertReadings(
    client,
    [nowMs - 2 * minuteMs, nowMs + 2 * minuteMs].map((atMs) => ({
      reading: readingAt('fra', 'up', atMs, { checkId: check.id }),
      agent: 'fra-1',
      receivedAtMs: nowMs,
      rawDays: 30,
      hourDays: 400,
    })),
    crypto.randomUUID(),
  )
  await client.close()
  const ask = (path: string) => at.call('GET', `/v1/checks/${check.id}${path}`, { key: account.readKey })
  const until = `to=${iso(nowMs + 10 * minuteMs)}`
  const { json: listed } = await ask(`/readings?${until}`)
  expect(listed.readings).toMatchObject([{ slot: iso(nowMs - 2 * minuteMs) }])
  const { json: series } = await ask(`/series?from=${iso(nowMs - 10 * minuteMs)}&${until}&step=60`)
  const measured = series.points.reduce((sum: number, one: SeriesPoint) => sum + one.up, 0)
  expect(measured).toBe(1)
})
