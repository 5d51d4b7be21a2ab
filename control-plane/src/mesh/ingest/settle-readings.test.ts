import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import fc from 'fast-check'
import pino from 'pino'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { connectClickHouse, isRejectedByClickHouse } from '../../stores/clickhouse/connect.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import type { ReadingRow } from '../../readings/insert-readings.ts'
import { rollupKeyOf } from './rollups-query.ts'
import { readingAt } from '../../status/testing.ts'
import { ingestMetrics } from './metrics.ts'
import type { IngestMetrics } from './metrics.ts'
import { readingTables } from './reading-tables.ts'
import type { ReadingTables } from './reading-tables.ts'
import { settleReadings } from './settle-readings.ts'
import { createTablesModel, rollups, tables } from './testing/tables-model.ts'
import type { Table } from './testing/tables-model.ts'

/** Every state that a crash can leave is settled in a model of ClickHouse, and ten of them in ClickHouse too. */

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

/** The tables, and what only a crash does to them. */
type Server = {
  tables: ReadingTables
  /** Loses rows, as a server that stored the token and was killed before it stored the part. */
  forget(lost: readonly Table[], since?: number): Promise<void>
  /** The rows in the raw table, and those that each rollup counts. */
  stored(): Promise<number[]>
}
const modelled = (model = createTablesModel(Date.now)): Server & { model: typeof model } => ({
  model,
  tables: model.tablesFor(),
  forget: async (lost, since = 0) =>
    lost.forEach((table) => model.forget(table, ({ slot }) => slot >= since)),
  stored: async () => tables.map((table) => model.rows[table].length),
})
/** A delete takes long with the parts of earlier tests. */
const real = async (): Promise<Server> => {
  for (const table of tables) await clickhouse.command({ query: `truncate table ${table}` })
  return {
    tables: readingTables(clickhouse),
    forget: async (lost, since = 0) => {
      for (const table of lost) {
        const column = table === 'readings_raw' ? 'slot' : 'at'
        const query = `delete from ${table} where ${column} >= toDateTime(${since / 1_000}, 'UTC')`
        await clickhouse.command({ query })
      }
    },
    stored: async () => {
      const counted = 'sum(up + down + blocked + unmeasured)'
      const query = `
        select (select count() from readings_raw) as raw, (select ${counted} from readings_minute) as minute,
          (select ${counted} from readings_hour) as hour`
      const [row] = await (await clickhouse.query({ query, format: 'JSONEachRow' })).json<object>()
      return Object.values(row ?? {}).map(Number)
    },
  }
}
const settle = (server: Server, rows: readonly ReadingRow[]): Promise<void> =>
  settleReadings(
    { tables: server.tables, metrics, log: pino({ level: 'silent' }), now: Date.now },
    rows,
    token,
  )
/** Expects each row once, in the raw table and, if it is scheduled, in both rollups. */
const expectStored = async (server: Server, rows: readonly ReadingRow[]): Promise<void> => {
  const readings = rows.map(({ reading }) => reading)
  const scheduled = readings.filter(({ kind }) => kind === 'scheduled')
  expect(await server.stored()).toEqual([rows.length, scheduled.length, scheduled.length])
  expect((await server.tables.findStored(readings)).size).toBe(rows.length)
  for (const rollup of rollups) {
    const keys = new Map(
      scheduled.map((reading) => rollupKeyOf(rollup, reading)).map((key) => [JSON.stringify(key), key]),
    )
    expect(await server.tables.findDifferences(rollup, [...keys.values()])).toEqual([])
  }
}
const repairs = async (): Promise<string[]> =>
  (await metrics.repairs.get()).values.map(({ labels }) => String(labels.table)).toSorted()

const isOfToday = ({ reading }: ReadingRow): boolean => reading.slot >= today
const [raw, minute, hour] = tables
type Interrupt = (server: Server) => Promise<void>
const insert =
  (rows = batch): Interrupt =>
  ({ tables }) =>
    tables.insert(rows(), token)
/** As if the server had stored the parts and was killed before it stored the token. */
const insertUnnoted =
  (rows = batch): Interrupt =>
  ({ tables }) =>
    tables.insert(rows(), uuidv7(Date.now()))
const insertForgotten =
  (lost: Table[], since?: number): Interrupt =>
  async (server) => {
    await insert()(server)
    await server.forget(lost, since)
  }
const rowsOfToday = () => batch().filter(isOfToday)

const states: [string, Interrupt, Table[], 'ClickHouse'?][] = [
  ['of which nothing is stored', async () => {}, []],
  ['that is stored whole', insert(), [], 'ClickHouse'],
  ['that the raw table forgot', insertForgotten([raw]), [raw, minute, hour]],
  ['that the raw table forgot in part', insertForgotten([raw], today), [raw, minute, hour], 'ClickHouse'],
  ['that the minutes forgot', insertForgotten([minute]), [minute]],
  ['that the minutes forgot in part', insertForgotten([minute], today), [minute], 'ClickHouse'],
  ['that the hours forgot', insertForgotten([hour]), [hour]],
  ['that the raw table and the minutes forgot', insertForgotten([raw, minute]), [raw, hour], 'ClickHouse'],
  ['that the rollups forgot', insertForgotten([minute, hour]), [minute, hour]],
  ['that every table forgot', insertForgotten([raw, minute, hour]), [raw]],
  ['that is stored without its token', insertUnnoted(), [], 'ClickHouse'],
  [
    'that is stored without its token, and not in the rollups',
    async (server) => {
      await insertUnnoted()(server)
      await server.forget([minute, hour])
    },
    [minute, hour],
  ],
  ['of which one partition is stored', insert(rowsOfToday), [hour], 'ClickHouse'],
  ['with one partition stored without its token', insertUnnoted(rowsOfToday), []],
  [
    'that is missing under a further token too',
    async (server) => {
      await insertForgotten([raw])(server)
      await server.tables.insert(batch(), `${token}-1`)
      await server.forget([raw])
    },
    [raw, minute, hour],
    'ClickHouse',
  ],
]
const settleTwice = async (
  server: Server,
  interrupt: Interrupt,
  repaired: readonly Table[],
): Promise<void> => {
  await interrupt(server)
  await insertUnnoted(neighbours)(server)
  for (const _ of [1, 2]) {
    await settle(server, batch())
    expect(await repairs()).toEqual(repaired.toSorted())
  }
  await expectStored(server, [...batch(), ...neighbours()])
}

test.each(states)('a batch %s is stored once, and its neighbours stay', (_, interrupt, repaired) =>
  settleTwice(modelled(), interrupt, repaired),
)

test.each(states.filter(([, , , real]) => real))(
  'ClickHouse stores a batch %s once, and its neighbours stay',
  async (_, interrupt, repaired) => settleTwice(await real(), interrupt, repaired),
)

test('a batch is stored once, whichever of its parts and tokens each table has', async () => {
  const rows = batch()
  const { length } = createTablesModel(Date.now).blocksOf(rows, token)
  for (let state = 0; state < 4 ** length; state += 1) {
    const server = modelled()
    for (const [at, block] of server.model.blocksOf(rows, token).entries()) {
      server.model.write(block, { part: ((state >> (2 * at)) & 1) > 0, token: ((state >> (2 * at)) & 2) > 0 })
    }
    await insertUnnoted(neighbours)(server)
    await settle(server, rows)
    await expectStored(server, [...rows, ...neighbours()])
  }
})

test('a batch is stored once, whichever of its rows and tokens are stored', async () => {
  const some = fc.uniqueArray(fc.nat({ max: batch().length - 1 }))
  const inserts = fc.array(fc.tuple(some, fc.constantFrom('', '-1', '-2', '-other')), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(inserts, some, some, some, async (inserted, ...forgotten) => {
      begin()
      const [server, rows] = [modelled(), batch()]
      const of = (positions: readonly number[]) => positions.flatMap((at) => rows[at] ?? [])
      const seen = new Set<number>()
      for (const [positions, further] of inserted) {
        await server.tables.insert(of(positions.filter((at) => !seen.has(at))), `${token}${further}`)
        for (const at of positions) seen.add(at)
      }
      for (const [at, table] of tables.entries()) {
        const slots = of(forgotten[at] ?? []).map(({ reading }) => reading.slot)
        server.model.forget(table, ({ slot }) => slots.includes(slot))
      }
      await insertUnnoted(neighbours)(server)
      await settle(server, rows)
      await expectStored(server, [...rows, ...neighbours()])
    }),
  )
})

test('ClickHouse stores a batch once when several processes settle it at once', async () => {
  const server = await real()
  await insertForgotten([raw, minute])(server)
  await insertUnnoted(neighbours)(server)
  // after repeated conflicts in one table it fails, and its caller retries
  const settleAgain = () => vi.waitFor(() => settle(server, batch()), { timeout: 60_000 })
  await Promise.all([settleAgain(), settleAgain(), settleAgain()])
  await expectStored(server, [...batch(), ...neighbours()])
})

test('ClickHouse: waits for an insert whose client is gone, and counts it once', async () => {
  const server = await real()
  await clickhouse.command({ query: 'create table slow (none UInt8) engine = Memory' })
  await clickhouse.command({
    query: 'create materialized view slow_view to slow as select toUInt8(sleep(1)) as none from readings_raw',
  })
  try {
    const inserting = insert()(server)
    await vi.waitFor(async () => expect((await server.stored())[0]).toBe(batch().length))
    await settle(server, batch())
    await inserting
    await expectStored(server, batch())
    expect(await repairs()).toEqual([])
  } finally {
    await clickhouse.command({ query: 'drop table slow_view sync' })
  }
})

test('does not search for readings past their retention, and stores the rest of the batch', async () => {
  const rows = [row(today), row(today - 10 * dayMs), row(Date.now() - 7 * dayMs + minuteMs)]
  for (const server of [modelled(), await real()]) {
    await settle(server, rows)
    await settle(server, rows)
    expect((await server.stored())[2]).toBe(3)
    expect(await repairs()).toEqual([])
  }
  const server = modelled()
  await settle(server, rows)
  await server.forget([raw])
  await settle(server, rows)
  expect((await server.stored())[2]).toBe(3)
  expect((await repairs()).filter((table) => table === raw)).toEqual([raw])
})

const unstorable = () => row(today + 5 * minuteMs, { verdict: 'no verdict' as Reading['verdict'] })
const settleUnstorable = (server: Server): Promise<unknown> =>
  settle(server, [row(today), unstorable()]).catch((thrown: unknown) => thrown)

test('a batch that is refused completely may be divided', async () => {
  for (const server of [modelled(), await real()]) {
    expect(isRejectedByClickHouse(await settleUnstorable(server))).toBe(true)
    expect((await server.stored())[0]).toBe(0)
  }
})

test('a batch that is refused after some of it was stored may not be divided', async () => {
  for (const server of [modelled(), await real()]) {
    await insert(() => [row(today)])(server)
    const error = await settleUnstorable(server)
    expect(isRejectedByClickHouse(error)).toBe(false)
    expect(isRejectedByClickHouse((error as Error).cause)).toBe(true)
  }
})
