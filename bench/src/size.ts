import { join } from 'node:path'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { connectClickHouse, type ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { insertReadings } from '@probe-mesh/control-plane/src/readings/insert-readings'
import { startClickHouse } from '@probe-mesh/infra/start/embedded/clickhouse/start'
import { silentLog } from '@probe-mesh/infra/start/embedded/log'
import { withFolder } from './harness/scope.ts'
import { growthFigure, type Step } from './harness/growth.ts'
import { withFreshClickHouse } from './harness/fresh-clickhouse.ts'
import type { BenchContext } from './harness/run-bench.ts'
import { batchesOf, checkIds, tenRegions, type Day } from './size/day-of-readings.ts'

const dayMs = 86_400_000
/** Checks whose day is stored. The figures of each table are those of the last. */
const counts = (quick: boolean): readonly number[] => (quick ? [1, 10] : [1, 10, 100])
const tables = ['readings_raw', 'readings_minute', 'readings_hour'] as const

/**
 * The bytes of a reading on ClickHouse's disk: a day of checks of 60 s in ten regions, inserted as ingest
 * does, merged into one part per table, and read from `system.parts`.
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
          in: 'checks every 60 s in ten regions, a day',
          unit: 'bytes',
          steps,
        }),
      )
    } finally {
      await server.close()
    }
  })

/** Stores a day of readings. @returns the bytes of all tables */
const measureDay = async (context: BenchContext, serverUrl: string, count: number): Promise<number> => {
  const { rawDays, hourDays } = tiersDefault.scale
  const fromMs = Math.floor(Date.now() / dayMs - 1) * dayMs
  const day = {
    checkIds: checkIds(count),
    regions: tenRegions,
    intervalSeconds: 60,
    fromMs,
    toMs: fromMs + dayMs,
    rawDays,
    hourDays,
  }
  const rows = count * tenRegions.length * 1_440
  context.log(`size: ${rows} readings, a day of ${count} checks in ${tenRegions.length} regions`)
  return withFreshClickHouse(serverUrl, 'bench_size', rows, async (url) => {
    const clickhouse = connectClickHouse(url)
    try {
      await fill(clickhouse, day)
      const bytes = await bytesOf(clickhouse)
      if (count !== counts(context.quick).at(-1)) return bytes
      await reportTables(context, clickhouse, rows)
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
  let all = 0
  for (const table of tables) {
    const part = parts.find((one) => one.table === table)
    if (part === undefined) throw new Error(`${table} has no parts`)
    all += part.bytes
    report({
      figure: `${table}_bytes_per_reading`,
      value: part.bytes / readings,
      unit: 'bytes',
      context: { readings, rows: part.rows, parts: part.parts },
    })
  }
  report({ figure: 'all_tables_bytes_per_reading', value: all / readings, unit: 'bytes' })
}

const select = async <Row>(clickhouse: ClickHouse, query: string): Promise<Row[]> => {
  const result = await clickhouse.query({ query, format: 'JSONEachRow' })
  return result.json<Row>()
}
