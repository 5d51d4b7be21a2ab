import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import fc from 'fast-check'
import pino from 'pino'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { connectClickHouse, isRejectedByClickHouse } from '../../stores/clickhouse/connect.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { insertReadings } from '../../readings/insert-readings.ts'
import type { ReadingRow } from '../../readings/insert-readings.ts'
import { rollupDifferences, rollupKeyOf } from './rollups-query.ts'
import type { Rollup } from './rollups-query.ts'
import { readingAt } from '../../status/testing.ts'
import { ingestMetrics } from './metrics.ts'
import type { IngestMetrics } from './metrics.ts'
import { settleReadings } from './settle-readings.ts'

type Table = 'readings_raw' | Rollup

let store: Awaited<ReturnType<typeof createTestClickHouse>>
let clickhouse: ClickHouse

beforeAll(async () => {
  store = await createTestClickHouse()
  clickhouse = connectClickHouse(store.url)
})
afterAll(async () => {
  await clickhouse.close()
  await store.close()
})

let checkId: string
let token: string
let metrics: IngestMetrics

const begin = (): void => {
  checkId = uuidv7(Date.now())
  token = uuidv7(Date.now())
  metrics = ingestMetrics(new Registry())
}
beforeEach(begin)

/** A delete scans every part that earlier tests left. */
const slow = { timeout: 120_000 }

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const recent = Math.floor(Date.now() / hourMs) * hourMs - 2 * hourMs
/** In one month with the day before, since the hours have a partition for each month. */
const today = new Date(recent).getUTCDate() === 1 ? recent - dayMs : recent
const yesterday = today - dayMs

const row = (slot: number, more: Partial<Reading> = {}): ReadingRow => ({
  reading: { ...readingAt('fra', 'up', slot), checkId, ...more },
  agent: 'fra-1',
  receivedAtMs: Date.now(),
  rawDays: 7,
  hourDays: 90,
})
/** Two per minute, in two partitions of the raw table and the minutes, in one of the hours. */
const batch = (): ReadingRow[] => [
  ...Array.from({ length: 5 }, (_, k) => row(yesterday + k * 30_000)),
  ...Array.from({ length: 7 }, (_, k) => row(today + k * 30_000, k === 3 ? { verdict: 'down' } : {})),
  row(today, { region: 'iad' }),
  row(today, { kind: 'confirmation' }),
  row(today, { kind: 'manual', number: 1 }),
]
/** Rows of other batches in the same minutes and hours. */
const neighbours = (): ReadingRow[] => [
  row(yesterday + 10_000),
  row(today + 10_000),
  row(today + 10_000, { region: 'iad' }),
  row(today + 30 * minuteMs),
]

const settle = (rows: readonly ReadingRow[]): Promise<void> => {
  const log = pino({ level: 'silent' })
  return settleReadings({ clickhouse, metrics, log, now: Date.now }, rows, token)
}
const remove = async (tables: readonly Table[], condition = 'true'): Promise<void> => {
  for (const table of tables) {
    await clickhouse.command({
      query: `delete from ${table} where check_id = '${checkId}' and ${condition}`,
    })
  }
}
const stored = async () => {
  const counted = 'sum(up + down + blocked + unmeasured)'
  const of = `where check_id = '${checkId}'`
  const result = await clickhouse.query({
    query: `
      select (select count() from readings_raw ${of}) as raw,
        (select uniqExact(slot, region, kind, number) from readings_raw ${of}) as readings,
        (select count() from readings_raw ${of} and kind = 'scheduled') as scheduled,
        (select ${counted} from readings_minute ${of}) as minute,
        (select ${counted} from readings_hour ${of}) as hour`,
    format: 'JSONEachRow',
  })
  return (await result.json<Record<string, number>>())[0]
}
/** Expects each row once, in the raw table and, if it is scheduled, in both rollups. */
const expectStored = async (rows: readonly ReadingRow[]): Promise<void> => {
  const scheduled = rows.filter(({ reading }) => reading.kind === 'scheduled')
  const [all, counted] = [rows.length, scheduled.length]
  expect(await stored()).toEqual({
    raw: all,
    readings: all,
    scheduled: counted,
    minute: counted,
    hour: counted,
  })
  for (const rollup of ['readings_minute', 'readings_hour'] as const) {
    const keys = scheduled.map(({ reading }) => rollupKeyOf(rollup, reading))
    expect(await rollupDifferences(clickhouse, rollup, keys)).toEqual([])
  }
}
const repairs = async (): Promise<string[]> =>
  (await metrics.repairs.get()).values.map(({ labels }) => String(labels.table)).toSorted()

const isOfToday = ({ reading }: ReadingRow): boolean => reading.slot >= today
const [raw, minute, hour] = ['readings_raw', 'readings_minute', 'readings_hour'] as const
const insert = (rows: readonly ReadingRow[]) => insertReadings(clickhouse, rows, token)
/** As if the server had stored the parts and was killed before it stored the token. */
const insertUnnoted = (rows: readonly ReadingRow[]) => insertReadings(clickhouse, rows, uuidv7(Date.now()))
/** As if the server had stored the token and was killed before it stored the parts. */
const insertForgotten = async (tables: readonly Table[], condition?: string) => {
  await insert(batch())
  await remove(tables, condition)
}
const ofToday = (column: string): string => `${column} >= toDateTime(${today / 1_000}, 'UTC')`

test.each<[string, () => Promise<void>, Table[]]>([
  ['of which nothing is stored', async () => {}, []],
  ['that is stored whole', () => insert(batch()), []],
  ['that the raw table forgot', () => insertForgotten([raw]), [raw, minute, hour]],
  [
    'that is partly missing in the raw table',
    () => insertForgotten([raw], ofToday('slot')),
    [raw, minute, hour],
  ],
  ['that the minutes forgot', () => insertForgotten([minute]), [minute]],
  ['that the minutes forgot in part', () => insertForgotten([minute], ofToday('at')), [minute]],
  ['that the hours forgot', () => insertForgotten([hour]), [hour]],
  ['that the raw table and the minutes forgot', () => insertForgotten([raw, minute]), [raw, hour]],
  ['that the rollups forgot', () => insertForgotten([minute, hour]), [minute, hour]],
  ['that every table forgot', () => insertForgotten([raw, minute, hour]), [raw]],
  ['that is stored without its token', () => insertUnnoted(batch()), []],
  [
    'that is stored without its token, and not in the rollups',
    async () => {
      await insertUnnoted(batch())
      await remove([minute, hour])
    },
    [minute, hour],
  ],
  ['of which one partition is stored', () => insert(batch().filter(isOfToday)), [hour]],
  ['with one partition stored without its token', () => insertUnnoted(batch().filter(isOfToday)), []],
  [
    'that is missing under a further token too',
    async () => {
      await insertForgotten([raw])
      await insertReadings(clickhouse, batch(), `${token}-1`)
      await remove([raw])
    },
    [raw, minute, hour],
  ],
])('a batch %s is stored once, and its neighbours stay', slow, async (_, interrupt, repaired) => {
  await interrupt()
  await insertUnnoted(neighbours())
  await settle(batch())
  expect(await repairs()).toEqual(repaired.toSorted())
  await settle(batch())
  expect(await repairs()).toEqual(repaired.toSorted())
  await expectStored([...batch(), ...neighbours()])
})

test('stores a batch once, whichever rows and tokens are already stored', slow, async () => {
  const size = batch().length
  const some = fc.uniqueArray(fc.nat({ max: size - 1 }))
  const minutes = fc.uniqueArray(fc.nat({ max: 3 }))
  await fc.assert(
    fc.asyncProperty(some, fc.boolean(), some, minutes, fc.boolean(), async (...chosen) => {
      const [inserted, isNoted, forgotten, forgottenMinutes, isHourForgotten] = chosen
      begin()
      const rows = batch()
      const of = (positions: readonly number[]) => positions.flatMap((at) => rows[at] ?? [])
      await (isNoted ? insert : insertUnnoted)(of(inserted))
      const slots = of(forgotten).map(({ reading }) => reading.slot)
      const inRaw = `toUnixTimestamp64Milli(slot) in (${[0, ...slots].join(',')})`
      await remove([raw], inRaw)
      await remove([minute], `toMinute(at) in (${[99, ...forgottenMinutes].join(',')})`)
      if (isHourForgotten) await remove([hour])
      await insertUnnoted(neighbours())
      await settle(rows)
      await expectStored([...rows, ...neighbours()])
    }),
    { numRuns: 4 },
  )
})

test('stores a batch once when several processes settle it at once', slow, async () => {
  await insertForgotten([raw, minute])
  await insertUnnoted(neighbours())
  // after repeated conflicts in one table it fails, and its caller retries
  const settleAgain = () => vi.waitFor(() => settle(batch()), { timeout: 60_000 })
  await Promise.all([settleAgain(), settleAgain(), settleAgain()])
  await expectStored([...batch(), ...neighbours()])
})

test('waits for an insert whose client is gone, and counts it once', async () => {
  await clickhouse.command({ query: 'create table slow (none UInt8) engine = Memory' })
  await clickhouse.command({
    query: `
      create materialized view slow_view to slow as
      select toUInt8(sleep(1)) as none from readings_raw where check_id = '${checkId}'`,
  })
  try {
    const inserting = insert(batch())
    await vi.waitFor(async () => expect((await stored())?.['raw']).toBe(batch().length))
    await settle(batch())
    await inserting
    await expectStored(batch())
    expect(await repairs()).toEqual([])
  } finally {
    await clickhouse.command({ query: 'drop table slow_view sync' })
  }
})

test('does not search for readings past their retention, and stores the rest of the batch', async () => {
  const rows = [row(today), row(today - 10 * dayMs), row(Date.now() - 7 * dayMs + minuteMs)]
  await settle(rows)
  await settle(rows)
  expect(await stored()).toMatchObject({ hour: 3 })
  await remove([raw])
  await settle(rows)
  expect(await stored()).toMatchObject({ hour: 3 })
  expect((await repairs()).filter((table) => table === raw)).toEqual([raw])
})

const unstorable = () => row(today + 5 * minuteMs, { verdict: 'no verdict' as Reading['verdict'] })

test('a batch that is refused completely may be divided', async () => {
  const error = await settle([row(today), unstorable()]).catch((thrown: unknown) => thrown)
  expect(isRejectedByClickHouse(error)).toBe(true)
  expect(await stored()).toMatchObject({ raw: 0 })
})

test('a batch that is refused after some of it was stored may not be divided', async () => {
  await insert([row(today)])
  const error = await settle([row(today), unstorable()]).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(Error)
  expect(isRejectedByClickHouse(error)).toBe(false)
  expect(isRejectedByClickHouse((error as Error).cause)).toBe(true)
})
