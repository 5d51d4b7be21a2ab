import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { useClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import fc from 'fast-check'
import pino from 'pino'
import { Registry } from 'prom-client'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { beforeEach, expect, test } from 'vitest'
import { isRejectedByClickHouse } from '../../stores/clickhouse/connect.ts'
import type { ReadingRow } from '../../readings/insert-readings.ts'
import { rollupKeyOf } from './rollups-query.ts'
import { readingAt } from '../../status/testing.ts'
import { ingestMetrics, type IngestMetrics } from './metrics.ts'
import { readingTables, type ReadingTables } from './reading-tables.ts'
import { settleReadings } from './settle-readings.ts'
import { createTablesModel, rollups, tables, type Table } from './testing/tables-model.ts'

/** Every state that a crash can leave is settled in a model of ClickHouse, and ten of them in ClickHouse too. */

const clickhouse = useClickHouse()

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
/** Without the parts of earlier tests, which a delete would read. */
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
const log = pino({ level: 'silent' })
const settle = (server: Server, rows: readonly ReadingRow[]): Promise<void> =>
  settleReadings({ tables: server.tables, metrics, log, now: Date.now }, rows, token)
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
const repairCount = async (): Promise<number> =>
  (await metrics.repairs.get()).values.reduce((sum, { value }) => sum + value, 0)

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
/** A delete reads every part of a table. */
const slow = { timeout: 120_000 }

/** States whose repairs are known; the last ones are of a batch that is stored whole. */
const states: [string, Interrupt, Table[]][] = [
  ['of which the raw table forgot a part', insertForgotten([raw], today), [raw, minute, hour]],
  ['of which the minutes forgot a part', insertForgotten([minute], today), [minute]],
  ['of which one partition is stored', insert(() => batch().slice(5)), [hour]],
  [
    'that is missing under a further token too',
    async (server) => {
      await insertForgotten([raw])(server)
      await server.tables.insert(batch(), `${token}-1`)
      await server.forget([raw])
    },
    [raw, minute, hour],
  ],
  ['that is stored without its token', insertUnnoted(), []],
  ['that is stored', insert(), []],
]
test.each(states)(
  'a batch %s is stored once, and its neighbours stay',
  slow,
  async (_, interrupt, repaired) => {
    for (const server of [modelled(), await real()]) {
      metrics = ingestMetrics(new Registry())
      await interrupt(server)
      await insertUnnoted(neighbours)(server)
      await settle(server, batch())
      expect(await repairs()).toEqual(repaired.toSorted())
      await expectStored(server, [...batch(), ...neighbours()])
    }
  },
)

test('a batch is stored once, whichever of its parts and tokens each table has', async () => {
  const rows = batch().filter((_row, at) => at % 3 === 0)
  const { length } = createTablesModel(Date.now).blocksOf(rows, token)
  expect(length).toBe(5)
  for (let state = 0; state < 4 ** length; state += 1) {
    const server = modelled()
    for (const [at, block] of server.model.blocksOf(rows, token).entries()) {
      const left = Math.floor(state / 4 ** at)
      server.model.write(block, { part: left % 2 > 0, token: left % 4 > 1 })
    }
    await insertUnnoted(neighbours)(server)
    await settle(server, rows)
    await expectStored(server, [...rows, ...neighbours()])
    const before = await repairCount()
    await settle(server, rows)
    expect(await repairCount()).toBe(before)
  }
})

test('a batch is stored once, whichever of its rows are stored and under which tokens', async () => {
  const some = fc.uniqueArray(fc.nat({ max: batch().length - 1 }))
  const inserts = fc.array(fc.tuple(some, fc.constantFrom('', '-1', '-2', '-other')), { maxLength: 4 })
  await forAllAsync([inserts, some, some, some], async (inserted, ...forgotten) => {
    const [server, left] = [modelled(), new Map(batch().entries())]
    for (const [positions, further] of inserted) {
      const taken = positions.flatMap((at) => left.get(at) ?? [])
      await server.tables.insert(taken, `${token}${further}`)
      for (const at of positions) left.delete(at)
    }
    for (const [at, table] of tables.entries()) {
      const slots = forgotten[at]?.map((position) => batch()[position]?.reading.slot)
      server.model.forget(table, ({ slot }) => slots?.includes(slot) ?? false)
    }
    await insertUnnoted(neighbours)(server)
    await settle(server, batch())
    await expectStored(server, [...batch(), ...neighbours()])
  })
})

test('a batch is stored once when several processes settle it at once', slow, async () => {
  for (const server of [modelled(), await real()]) {
    await insertForgotten([minute])(server)
    await insertUnnoted(neighbours)(server)
    const { count } = server.tables
    /** Counts once more what another process has counted since it was found missing. */
    const late: typeof count = async (...missing) => {
      await settle(server, batch())
      await count(...missing)
    }
    await settle({ ...server, tables: { ...server.tables, count: late } }, batch())
    await expectStored(server, [...batch(), ...neighbours()])
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
  expect((await metrics.repairs.get()).values.find(({ labels }) => labels.table === raw)?.value).toBe(1)
})

test.each([
  ['completely may be divided', 0],
  ['after some of it was stored may not be divided', 1],
])('a batch that is refused %s', async (_, count) => {
  const server = await real()
  await server.tables.insert([row(today)].slice(0, count), token)
  const unstorable = row(today + 5 * minuteMs, { verdict: 'no verdict' as Reading['verdict'] })
  const error = await settle(server, [row(today), unstorable]).catch((thrown: unknown) => thrown)
  expect([isRejectedByClickHouse(error), isRejectedByClickHouse((error as Error).cause)]).toEqual([
    count === 0,
    count === 1,
  ])
  expect((await server.stored())[0]).toBe(count)
})
