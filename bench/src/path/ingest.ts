import type { Stores } from '@probe-mesh/infra/embedded/stores'
import { withDatabase } from '@probe-mesh/infra/testing/database-name'
import { connectClickHouse } from '@probe-mesh/control-plane/clickhouse/connect'
import type { ClickHouse } from '@probe-mesh/control-plane/clickhouse/connect'
import { migrateClickHouse } from '@probe-mesh/control-plane/clickhouse/migrate'
import type { Sql } from '@probe-mesh/control-plane/postgres/connect'
import { askOnce } from '../child.ts'
import type { BenchContext } from '../run-bench.ts'
import { median } from '../statistics.ts'
import { createBenchChecks } from './bench-checks.ts'
import type { Workload } from './bench-readings.ts'
import type { IngestAnswer, IngestQuestion } from './ingest-process.ts'
import type { RawInsertAnswer, RawInsertQuestion } from './raw-insert-process.ts'

const ingestScript = new URL('ingest-process.ts', import.meta.url)
const rawScript = new URL('raw-insert-process.ts', import.meta.url)

const checks = 1_000
const regions = 4
/** So many slots of 60 s, which ended an hour ago or less. */
const slotsOf = (quick: boolean): number => (quick ? 10 : 40)
const pairsOf = (quick: boolean): number => (quick ? 2 : 7)

type Pair = { ingest: IngestAnswer; raw: RawInsertAnswer }

/** Readings a second through ingest, beside the same rows put straight into the same store. */
export const measureIngest = async (
  context: BenchContext & { stores: Stores; sql: Sql },
): Promise<void> => {
  const { stores, sql, quick, say } = context
  await createBenchChecks(sql, checks)
  const slots = slotsOf(quick)
  const rows = checks * regions * slots
  const pairs: Pair[] = []
  for (let n = 1; n <= pairsOf(quick); n++) {
    say(`ingest, pair ${n}: ${rows} readings through ingest, then inserted raw`)
    const workload = { checks, slots, fromMs: Date.now() - (slots + 2) * 60_000 }
    pairs.push(await measurePair(stores, workload, rows))
  }
  report(context, pairs)
}

const measurePair = async (stores: Stores, workload: Workload, rows: number): Promise<Pair> => {
  const ingest = await withFreshDatabase(stores, 'bench_ingest', rows, (clickhouseUrl) =>
    askOnce<IngestAnswer>(ingestScript, {
      ...workload,
      databaseUrl: stores.databaseUrl,
      clickhouseUrl,
    } satisfies IngestQuestion),
  )
  const raw = await withFreshDatabase(stores, 'bench_raw', rows, (clickhouseUrl) =>
    askOnce<RawInsertAnswer>(rawScript, {
      ...workload,
      clickhouseUrl,
      batches: ingest.batches.map((batch) => batch.rows),
    } satisfies RawInsertQuestion),
  )
  return { ingest, raw }
}

/** Acts on an empty migrated database, and makes sure that it then holds what it should. */
const withFreshDatabase = async <Answer>(
  stores: Stores,
  name: string,
  rows: number,
  act: (clickhouseUrl: string) => Promise<Answer>,
): Promise<Answer> => {
  const server = connectClickHouse(stores.clickhouseUrl)
  const url = withDatabase(stores.clickhouseUrl, name)
  const database = connectClickHouse(url)
  try {
    await server.command({ query: `create database ${name} engine = Atomic` })
    await migrateClickHouse(database)
    const answer = await act(url)
    await verifyStored(database, rows)
    return answer
  } finally {
    await server.command({ query: `drop database if exists ${name} sync` })
    await Promise.all([database.close(), server.close()])
  }
}

const verifyStored = async (clickhouse: ClickHouse, rows: number): Promise<void> => {
  const result = await clickhouse.query({
    query: `
      select (select count() from readings_raw) as raw,
        (select uniqExact(check_id, region, slot) from readings_raw) as slots,
        (select sum(up + down + blocked + unmeasured) from readings_minute) as minute,
        (select sum(up + down + blocked + unmeasured) from readings_hour) as hour`,
    format: 'JSONEachRow',
  })
  const [stored] = await result.json<Record<string, number>>()
  const counts = Object.entries(stored ?? {})
  if (counts.length === 4 && counts.every(([, count]) => count === rows)) return
  throw new Error(`stored ${JSON.stringify(stored)} of ${rows} readings`)
}

const report = ({ report }: BenchContext, pairs: readonly Pair[]): void => {
  const figureOf = (
    figure: string,
    unit: string,
    of: (pair: Pair) => number,
    more: Partial<Parameters<typeof report>[0]> = {},
  ): void => {
    const runs = pairs.map(of)
    const context = { runs, rows: pairs[0]?.ingest.rows ?? 0, ...more.context }
    report({ figure, unit, value: median(runs), ...more, context })
  }
  const ingested = ({ ingest }: Pair): number => ingest.rows / ingest.seconds
  const inserted = ({ raw }: Pair): number => raw.rows / raw.seconds
  const batchRows = pairs.flatMap(({ ingest }) => ingest.batches.map((batch) => batch.rows))
  figureOf('ingest_readings_per_second', 'readings/s', ingested, {
    context: { rowsPerBatch: median(batchRows) },
  })
  figureOf('raw_insert_rows_per_second', 'rows/s', inserted)
  figureOf('ingest_to_raw_insert', 'ratio', (pair) => ingested(pair) / inserted(pair), {
    aim: { atLeast: 0.5 },
  })
  if (pairs.every(({ ingest }) => ingest.batches.length > 1)) {
    figureOf('ingest_warm_readings_per_second', 'readings/s', warmRate)
  }
  const perThousand = (one: { cpuSeconds: number; rows: number }) =>
    (one.cpuSeconds / one.rows) * 1_000
  figureOf('ingest_cpu_per_1000_readings', 'CPU s', ({ ingest }) => perThousand(ingest))
  figureOf('raw_insert_cpu_per_1000_rows', 'CPU s', ({ raw }) => perThousand(raw))
}

/** Without the first batch, which looks up what a restarted ingest does not remember. */
const warmRate = ({ ingest: { batches, rows, seconds } }: Pair): number => {
  const first = batches[0]
  return first === undefined ? 0 : (rows - first.rows) / (seconds - first.atSeconds)
}
