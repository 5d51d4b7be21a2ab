import { regionsDefault } from '@probe-mesh/contracts/reading/regions'
import type { Stores } from '@probe-mesh/infra/start/stores/stores'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { askOnce } from '../child.ts'
import type { BenchContext } from '../run-bench.ts'
import { median } from '../statistics.ts'
import { createBenchChecks } from './bench-checks.ts'
import type { Workload } from './bench-readings.ts'
import { withFreshClickHouse } from './fresh-clickhouse.ts'
import type { IngestAnswer, IngestQuestion } from './ingest-process.ts'
import type { RawInsertAnswer, RawInsertQuestion } from './raw-insert-process.ts'

const ingestScript = new URL('ingest-process.ts', import.meta.url)
const rawScript = new URL('raw-insert-process.ts', import.meta.url)

const checks = 1_000
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
  const rows = checks * regionsDefault.length * slots
  const pairs: Pair[] = []
  for (let n = 1; n <= pairsOf(quick); n++) {
    say(`ingest, pair ${n}: ${rows} readings through ingest, then inserted raw`)
    const workload = {
      checks,
      regions: regionsDefault,
      slots,
      fromMs: Date.now() - (slots + 2) * 60_000,
    }
    pairs.push(await measurePair(stores, workload, rows))
  }
  report(context, pairs)
}

const measurePair = async (stores: Stores, workload: Workload, rows: number): Promise<Pair> => {
  const ingest = await withFreshClickHouse(
    stores.clickhouseUrl,
    'bench_ingest',
    rows,
    (clickhouseUrl) =>
      askOnce<IngestAnswer>(ingestScript, {
        ...workload,
        databaseUrl: stores.databaseUrl,
        clickhouseUrl,
      } satisfies IngestQuestion),
  )
  const raw = await withFreshClickHouse(stores.clickhouseUrl, 'bench_raw', rows, (clickhouseUrl) =>
    askOnce<RawInsertAnswer>(rawScript, {
      ...workload,
      clickhouseUrl,
      batches: ingest.batches.map((batch) => batch.rows),
    } satisfies RawInsertQuestion),
  )
  return { ingest, raw }
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
