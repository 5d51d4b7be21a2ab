import { regionsDefault } from '@probe-mesh/contracts/reading/regions'
import { askOnce } from '../harness/child.ts'
import type { BenchContext } from '../harness/run-bench.ts'
import type { BenchStores } from '../harness/stores.ts'
import { median } from '../harness/statistics.ts'
import { createBenchChecks } from '../harness/bench-checks.ts'
import type { Workload } from '../harness/bench-readings.ts'
import { withFreshClickHouse } from '../harness/fresh-clickhouse.ts'
import type { IngestAnswer, IngestQuestion } from './ingest-process.ts'
import type { RawInsertAnswer, RawInsertQuestion } from '../harness/raw-insert-process.ts'

const ingestScript = new URL('ingest-process.ts', import.meta.url)
const rawScript = new URL('../harness/raw-insert-process.ts', import.meta.url)

const checks = 1_000
/** Slots of 60 s per check and region, all within the last hour. */
const slotsOf = (quick: boolean): number => (quick ? 10 : 40)
const pairsOf = (quick: boolean): number => (quick ? 2 : 7)

type Pair = { ingest: IngestAnswer; raw: RawInsertAnswer }

/** Readings per second through ingest, beside a raw insert of the same rows into the same tables. */
export const measureIngest = async (context: BenchContext, stores: BenchStores): Promise<void> => {
  const { quick, log } = context
  await createBenchChecks(stores.sql, checks)
  const slots = slotsOf(quick)
  const rows = checks * regionsDefault.length * slots
  const pairs: Pair[] = []
  for (let n = 1; n <= pairsOf(quick); n++) {
    log(`ingest, pair ${n}: ${rows} readings through ingest, then inserted raw`)
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

const measurePair = async (stores: BenchStores, workload: Workload, rows: number): Promise<Pair> => {
  const ingest = await withFreshClickHouse(stores.clickhouseUrl, 'bench_ingest', rows, (clickhouseUrl) =>
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
  const rate = ({ rows, seconds }: { rows: number; seconds: number }): number => rows / seconds
  const perThousand = ({ cpuSeconds, rows }: { cpuSeconds: number; rows: number }): number =>
    (cpuSeconds / rows) * 1_000
  const rowsPerBatch = median(pairs.flatMap(({ ingest }) => ingest.batches.map((batch) => batch.rows)))
  for (const [figure, unit, of, more] of [
    ['ingest_readings_per_second', 'readings/s', ({ ingest }) => rate(ingest), { context: { rowsPerBatch } }],
    ['raw_insert_rows_per_second', 'rows/s', ({ raw }) => rate(raw), {}],
    [
      'ingest_to_raw_insert',
      'ratio',
      ({ ingest, raw }) => rate(ingest) / rate(raw),
      { aim: { atLeast: 0.5 } },
    ],
    ['ingest_cpu_per_1000_readings', 'CPU s', ({ ingest }) => perThousand(ingest), {}],
    ['raw_insert_cpu_per_1000_rows', 'CPU s', ({ raw }) => perThousand(raw), {}],
  ] as const satisfies [string, string, (pair: Pair) => number, object][]) {
    report({ figure, unit, runs: pairs.map(of), ...more })
  }
}
