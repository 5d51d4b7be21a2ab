import { join } from 'node:path'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import type { ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { insertReadings } from '@probe-mesh/control-plane/readings/insert-readings'
import { startClickHouse } from '@probe-mesh/infra/start/embedded/clickhouse/start'
import { silentLog } from '@probe-mesh/infra/start/embedded/log'
import { withFolder } from './folder.ts'
import { growthFigure } from './growth.ts'
import type { Step } from './growth.ts'
import { withFreshClickHouse } from './path/fresh-clickhouse.ts'
import type { BenchContext } from './run-bench.ts'
import { checkIdsByPartition } from './scale/check-ids.ts'
import { tenRegions } from './scale/ten-regions.ts'
import { batchesOf } from './size/day-of-readings.ts'
import type { Day } from './size/day-of-readings.ts'

const dayMs = 86_400_000
/** Checks whose day is stored; what is said of each table and column is of the last. */
const counts = (quick: boolean): readonly number[] => (quick ? [1, 10] : [1, 10, 100])
const tables = ['readings_raw', 'readings_minute', 'readings_hour'] as const

/**
 * What a reading takes on ClickHouse's disk: a whole day of checks of 60 s in ten regions, inserted as
 * ingest does, merged into one part for each table, and read from `system.parts`.
 */
export const measureSize = (context: BenchContext): Promise<void> =>
  withFolder(async (folder) => {
    const { quick } = context
    const server = await startClickHouse({ dataDir: join(folder, 'clickhouse'), log: silentLog })
    try {
      const steps: Step[] = []
      for (const count of counts(quick)) {
        steps.push({ work: count, cost: await measureDay(context, server.url, count) })
      }
      context.report(
        growthFigure({
          figure: 'stored_bytes',
          of: 'bytes on disk, with rollups',
          in: 'checks of a minute in ten regions, a day',
          unit: 'bytes',
          steps,
        }),
      )
    } finally {
      await server.close()
    }
  })

/** @returns the bytes of all tables */
const measureDay = async (
  context: BenchContext,
  serverUrl: string,
  count: number,
): Promise<number> => {
  const { rawDays, hourDays } = tiersDefault.scale
  const fromMs = Math.floor(Date.now() / dayMs - 1) * dayMs
  const day = {
    checkIds: checkIdsByPartition(count).flat(),
    regions: tenRegions,
    intervalSeconds: 60,
    fromMs,
    toMs: fromMs + dayMs,
    rawDays,
    hourDays,
  }
  const rows = count * tenRegions.length * 1_440
  context.say(`size: ${rows} readings, a day of ${count} checks in ${tenRegions.length} regions`)
  return withFreshClickHouse(serverUrl, 'bench_size', rows, async (url) => {
    const clickhouse = connectClickHouse(url)
    try {
      await fill(clickhouse, day)
      const bytes = await bytesOf(clickhouse)
      if (count !== counts(context.quick).at(-1)) return bytes
      await reportTables(context, clickhouse, rows)
      await reportOthers(context, clickhouse, rows)
      return bytes
    } finally {
      await clickhouse.close()
    }
  })
}

const bytesOf = async (clickhouse: ClickHouse): Promise<number> => {
  const [row] = await select<{ bytes: number }>(
    clickhouse,
    `select toUInt32(sum(bytes_on_disk)) as bytes from system.parts
    where database = currentDatabase() and active and table in ('${tables.join("', '")}')`,
  )
  return row?.bytes ?? 0
}

const fill = async (clickhouse: ClickHouse, day: Day): Promise<void> => {
  for (const batch of batchesOf(day)) {
    await insertReadings(clickhouse, batch, uuidv7(Date.now()))
  }
  for (const table of tables) {
    await clickhouse.command({ query: `optimize table ${table} final` })
  }
}

type ColumnSize = { table: string; column: string; bytes: number; plainBytes: number }

const reportTables = async (
  { report }: BenchContext,
  clickhouse: ClickHouse,
  readings: number,
): Promise<void> => {
  const parts = await select<{ table: string; bytes: number; parts: number; rows: number }>(
    clickhouse,
    `select table, toUInt32(sum(bytes_on_disk)) as bytes, toUInt32(count()) as parts,
      toUInt32(sum(rows)) as rows
    from system.parts where database = currentDatabase() and active group by table`,
  )
  const columns = await select<ColumnSize>(
    clickhouse,
    `select table, column, toUInt32(sum(column_data_compressed_bytes)) as bytes,
      toUInt32(sum(column_data_uncompressed_bytes)) as plainBytes
    from system.parts_columns where database = currentDatabase() and active
    group by table, column order by bytes desc`,
  )
  for (const table of tables) {
    const part = parts.find((one) => one.table === table)
    if (part === undefined) throw new Error(`${table} has no parts`)
    const own = columns.filter((column) => column.table === table)
    const plain = own.reduce((sum, { plainBytes }) => sum + plainBytes, 0)
    report({
      figure: `${table}_bytes_per_reading`,
      value: part.bytes / readings,
      unit: 'bytes',
      context: {
        readings,
        rows: part.rows,
        parts: part.parts,
        uncompressed: plain / readings,
        ...Object.fromEntries(own.map(({ column, bytes }) => [column, bytes / readings])),
      },
    })
  }
  report({
    figure: 'all_tables_bytes_per_reading',
    value:
      parts
        .filter(({ table }) => tables.some((one) => one === table))
        .reduce((sum, { bytes }) => sum + bytes, 0) / readings,
    unit: 'bytes',
    context: { readings },
  })
}

/** What would take less, beside what is there: too new for servers of last year, or not merged like it. */
const others = [
  {
    figure: 'latency_ms_by_alp_bytes_per_reading',
    table: 'other_latency',
    create: `
      create table other_latency (check_id UUID, region LowCardinality(String),
        slot DateTime64(3, 'UTC'), value Nullable(Float32) codec(ALP, ZSTD(1)))
      engine = MergeTree order by (check_id, region, slot) settings min_bytes_for_wide_part = 0`,
    fill: 'insert into other_latency select check_id, region, slot, latency_ms from readings_raw',
  },
  {
    figure: 'hour_latency_by_sketch_bytes_per_reading',
    table: 'other_hour',
    create: `
      create table other_hour (check_id UUID, region LowCardinality(String), at DateTime('UTC'),
        value AggregateFunction(quantilesDD(0.01, 0.5, 0.95, 0.99), Float32) codec(ZSTD(1)))
      engine = AggregatingMergeTree order by (check_id, region, at)
      settings min_bytes_for_wide_part = 0`,
    fill: `
      insert into other_hour
      select check_id, region, toStartOfHour(toDateTime(slot, 'UTC')) as at,
        quantilesDDStateIf(0.01, 0.5, 0.95, 0.99)(ifNull(latency_ms, 0), verdict = 'up')
      from readings_raw group by check_id, region, at`,
  },
] as const

const reportOthers = async (
  { report, say }: BenchContext,
  clickhouse: ClickHouse,
  readings: number,
): Promise<void> => {
  for (const { figure, table, create, fill } of others) {
    try {
      await clickhouse.command({
        query: create,
        clickhouse_settings: { allow_experimental_codecs: 1 },
      })
      await clickhouse.command({ query: fill })
      await clickhouse.command({ query: `optimize table ${table} final` })
    } catch (error) {
      say(`${figure}: ${error instanceof Error ? error.message.slice(0, 200) : String(error)}`)
      continue
    }
    const [row] = await select<{ bytes: number }>(
      clickhouse,
      `select toUInt32(sum(column_data_compressed_bytes)) as bytes from system.parts_columns
      where database = currentDatabase() and table = '${table}' and active and column = 'value'`,
    )
    report({ figure, value: (row?.bytes ?? 0) / readings, unit: 'bytes' })
  }
}

const select = async <Row>(clickhouse: ClickHouse, query: string): Promise<Row[]> => {
  const result = await clickhouse.query({ query, format: 'JSONEachRow' })
  return result.json<Row>()
}
