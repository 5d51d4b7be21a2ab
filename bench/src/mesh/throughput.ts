import { growthFigure } from '../growth.ts'
import type { Step } from '../growth.ts'
import { repeatsOf } from '../repeats.ts'
import type { BenchContext } from '../run-bench.ts'
import { median } from '../statistics.ts'
import { meshRegions } from './servers.ts'
import type { MeshServers } from './servers.ts'
import { rowsOf, runMesh, runRaw } from './throughput-run.ts'
import type { MeshRun, RawRun } from './throughput-run.ts'

/** So many slots of 60 s of each check and region. */
const slotsOf = (quick: boolean): number => (quick ? 5 : 20)

type Pair = { mesh: MeshRun; raw: RawRun }

/**
 * Readings a second from the agents' spools to the store, beside the same rows inserted raw.
 * @param context.database with the checks, which is copied for each run
 * @returns the most memory that each process had, MiB
 */
export const measureThroughput = async (
  context: BenchContext & { servers: MeshServers; database: string; checks: number },
): Promise<Record<string, number>> => {
  const { servers, database, checks, quick, say } = context
  const slots = slotsOf(quick)
  const pairs: Pair[] = []
  for (let n = 1; n <= repeatsOf(quick); n++) {
    const fromMs = Date.now() - (slots + 2) * 60_000
    const workload = { checks, regions: meshRegions, slots, fromMs }
    say(`mesh, pair ${n}: ${rowsOf(workload)} readings through the mesh, then inserted raw`)
    const mesh = await runMesh(servers, { original: database, name: `bench_mesh_${n}` }, workload)
    const raw = await runRaw(servers, `bench_mesh_raw_${n}`, workload, mesh.rowsPerBatch)
    pairs.push({ mesh, raw })
  }
  await measureGrowth(context, pairs)
  reportRates(context, pairs)
  reportCpu(context, pairs)
  const names = Object.keys(pairs[0]?.mesh.peakMib ?? {})
  return Object.fromEntries(
    names.map((name) => [name, Math.max(...pairs.map(({ mesh }) => mesh.peakMib[name] ?? 0))]),
  )
}

/** The CPU of everything for a hundredth and a tenth of the checks, beside that of the pairs. */
const measureGrowth = async (
  { servers, database, checks, quick, say, report }: Parameters<typeof measureThroughput>[0],
  pairs: readonly Pair[],
): Promise<void> => {
  const slots = slotsOf(quick)
  const steps: Step[] = []
  for (const part of [100, 10]) {
    const costs: number[] = []
    for (let n = 1; n <= repeatsOf(quick); n++) {
      const fromMs = Date.now() - (slots + 2) * 60_000
      const workload = { checks: checks / part, regions: meshRegions, slots, fromMs }
      say(`mesh, a ${part}th of the checks: ${rowsOf(workload)} readings`)
      const names = { original: database, name: `bench_mesh_${part}_${n}` }
      costs.push(cpuOfAll(await runMesh(servers, names, workload)))
    }
    steps.push({ work: (checks / part) * meshRegions.length * slots, cost: median(costs) })
  }
  const whole = pairs.map(({ mesh }) => mesh)
  steps.push({ work: whole[0]?.rows ?? Number.NaN, cost: median(whole.map(cpuOfAll)) })
  report(
    growthFigure({
      figure: 'mesh_cpu',
      of: 'from agents to stored and judged, all processes',
      in: 'readings',
      unit: 'CPU s',
      steps,
    }),
  )
}

const cpuOfAll = ({ cpuSeconds }: MeshRun): number =>
  Object.values(cpuSeconds).reduce((all, one) => all + one, 0)

const reportRates = ({ report }: BenchContext, pairs: readonly Pair[]): void => {
  const through = pairs.map(({ mesh }) => mesh.rows / mesh.seconds)
  const inserted = pairs.map(({ raw }) => raw.rows / raw.seconds)
  const ratios = through.map((rate, at) => rate / (inserted[at] ?? 0))
  const rows = pairs[0]?.mesh.rows ?? 0
  report({
    figure: 'mesh_readings_per_second',
    value: median(through),
    unit: 'readings/s',
    context: {
      runs: through,
      rows,
      rawInsert: median(inserted),
      judgedToo: median(pairs.map(({ mesh }) => mesh.rows / mesh.judgedSeconds)),
      rowsPerBatch: median(pairs.map(({ mesh }) => mesh.rowsPerBatch)),
    },
  })
  report({
    figure: 'mesh_raw_insert_rows_per_second',
    value: median(inserted),
    unit: 'rows/s',
    context: { runs: inserted, rows },
  })
  report({
    figure: 'mesh_to_raw_insert',
    value: median(ratios),
    unit: 'ratio',
    aim: { atLeast: 0.5 },
    context: { runs: ratios },
  })
}

/** On few cores their sum is what limits: it says where the cores went. */
const reportCpu = ({ report }: BenchContext, pairs: readonly Pair[]): void => {
  const cpuOf = (figure: string, of: (pair: Pair) => number): void => {
    const runs = pairs.map((pair) => (of(pair) / pair.mesh.rows) * 1_000)
    report({ figure, value: median(runs), unit: 'CPU s', context: { runs } })
  }
  const suffix = 'cpu_per_1000_readings'
  for (const name of Object.keys(pairs[0]?.mesh.cpuSeconds ?? {})) {
    cpuOf(`mesh_${snake(name)}_${suffix}`, ({ mesh }) => mesh.cpuSeconds[name] ?? 0)
  }
  const sum = ({ mesh }: Pair) => cpuOfAll(mesh)
  cpuOf(`mesh_all_${suffix}`, sum)
  cpuOf('mesh_raw_insert_cpu_per_1000_rows', ({ raw }) => raw.cpuSeconds)
  cpuOf('mesh_raw_insert_clickhouse_cpu_per_1000_rows', ({ raw }) => raw.clickhouseCpuSeconds)
  const busy = pairs.map((pair) => sum(pair) / pair.mesh.judgedSeconds)
  report({
    figure: 'mesh_cores_used',
    value: median(busy),
    unit: 'cores',
    context: { runs: busy },
  })
}

/** A process's name as part of a figure's. */
export const snake = (name: string): string => name.replaceAll('-', '_')
