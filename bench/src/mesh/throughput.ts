import type { BenchContext } from '../harness/run-bench.ts'
import { median, ratios } from '../harness/statistics.ts'
import { roundsOf } from '../harness/turns.ts'
import { meshRegions } from './servers.ts'
import type { MeshServers } from './servers.ts'
import { rowsOf, runMesh, runRaw } from './throughput-run.ts'
import type { MeshRun, RawRun } from './throughput-run.ts'

/** Slots of 60 s of each check and region. */
const slotsOf = (quick: boolean): number => (quick ? 5 : 20)

type Pair = { mesh: MeshRun; raw: RawRun }

/**
 * Readings per second from the agents' spools to ClickHouse, beside a raw insert of the same rows.
 * @param context.database with the checks, which is copied for each run
 */
export const measureThroughput = async (
  context: BenchContext & { servers: MeshServers; database: string; checks: number },
): Promise<void> => {
  const { servers, database, checks, quick, log } = context
  const slots = slotsOf(quick)
  const pairs: Pair[] = []
  for (let n = 1; n <= roundsOf(quick); n++) {
    const fromMs = Date.now() - (slots + 2) * 60_000
    const workload = { checks, regions: meshRegions, slots, fromMs }
    log(`mesh, pair ${n}: ${rowsOf(workload)} readings through the mesh, then inserted raw`)
    const mesh = await runMesh(servers, { original: database, name: `bench_mesh_${n}` }, workload)
    const raw = await runRaw(servers, `bench_mesh_raw_${n}`, workload, mesh.rowsPerBatch)
    pairs.push({ mesh, raw })
  }
  reportRates(context, pairs)
  reportCpu(context, pairs)
}

const reportRates = ({ report }: BenchContext, pairs: readonly Pair[]): void => {
  const through = pairs.map(({ mesh }) => mesh.rows / mesh.seconds)
  const inserted = pairs.map(({ raw }) => raw.rows / raw.seconds)
  report({
    figure: 'mesh_readings_per_second',
    runs: through,
    unit: 'readings/s',
    context: {
      judgedToo: median(pairs.map(({ mesh }) => mesh.rows / mesh.judgedSeconds)),
      rowsPerBatch: median(pairs.map(({ mesh }) => mesh.rowsPerBatch)),
    },
  })
  report({ figure: 'mesh_raw_insert_rows_per_second', runs: inserted, unit: 'rows/s' })
  report({
    figure: 'mesh_to_raw_insert',
    runs: ratios(through, inserted),
    unit: 'ratio',
    aim: { atLeast: 0.5 },
  })
}

/** The CPU of each process. With few cores, their sum is the limit. */
const reportCpu = ({ report }: BenchContext, pairs: readonly Pair[]): void => {
  const reportOf = (figure: string, of: (pair: Pair) => number): void =>
    report({
      figure,
      runs: pairs.map((pair) => (of(pair) / pair.mesh.rows) * 1_000),
      unit: 'CPU s',
    })
  const sum = ({ mesh }: Pair): number => Object.values(mesh.cpuSeconds).reduce((all, one) => all + one, 0)
  for (const name of Object.keys(pairs[0]?.mesh.cpuSeconds ?? {})) {
    const process = name.replaceAll('-', '_')
    reportOf(`mesh_${process}_cpu_per_1000_readings`, ({ mesh }) => mesh.cpuSeconds[name] ?? 0)
  }
  reportOf('mesh_all_cpu_per_1000_readings', sum)
  reportOf('mesh_raw_insert_cpu_per_1000_rows', ({ raw }) => raw.cpuSeconds)
  reportOf('mesh_raw_insert_clickhouse_cpu_per_1000_rows', ({ raw }) => raw.clickhouseCpuSeconds)
  const busy = pairs.map((pair) => sum(pair) / pair.mesh.judgedSeconds)
  report({ figure: 'mesh_cores_used', runs: busy, unit: 'cores' })
}
