import type { BenchContext } from '../harness/run-bench.ts'
import { median, ratios } from '../harness/statistics.ts'
import { roundsOf } from '../harness/turns.ts'
import { meshRegions, type MeshServers } from './servers.ts'
import { join } from 'node:path'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { startChild, type Child } from '../harness/child.ts'
import type { Workload } from '../harness/bench-readings.ts'
import { withFreshClickHouse } from '../harness/fresh-clickhouse.ts'
import { withClosers } from '../harness/scope.ts'
import type { RawInsertAnswer, RawInsertQuestion } from '../harness/raw-insert-process.ts'
import { createControlPlane, shared, type MeshControlPlane } from './control-plane.ts'
import { withCopy } from './databases.ts'
import { usageOf, type TreeUsage } from '../harness/process-tree.ts'
import type { RecordedAnswer, RecordingQuestion } from './recording-agent-process.ts'
import { until } from '../harness/until.ts'

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

export const agentScript = new URL('recording-agent-process.ts', import.meta.url)
const rawScript = new URL('../harness/raw-insert-process.ts', import.meta.url)
const pollMs = 50

/** One run through the mesh. */
export type MeshRun = {
  rows: number
  /** From the first record to the last release, and until everything was judged as well. */
  seconds: number
  judgedSeconds: number
  /** Rows per insert of ingest, on average. */
  rowsPerBatch: number
  /** CPU seconds until everything was judged, by process. */
  cpuSeconds: Record<string, number>
}

export type RawRun = RawInsertAnswer & { clickhouseCpuSeconds: number }

/** Sends everything through two agents, the stream and a control plane that starts with empty tables. */
const runMesh = (
  servers: MeshServers,
  names: { original: string; name: string },
  workload: Workload,
): Promise<MeshRun> =>
  withRecordingMesh(servers, { ...names, regions: workload.regions, rows: rowsOf(workload) }, (send) =>
    send(workload),
  )

/**
 * Starts agents and a control plane with empty tables, which afterwards hold `rows` readings.
 * @param act sends readings through them
 */
export const withRecordingMesh = <Result>(
  servers: MeshServers,
  mesh: { original: string; name: string; regions: readonly Region[]; rows: number },
  act: (send: (workload: Workload) => Promise<MeshRun>) => Promise<Result>,
): Promise<Result> => {
  const { original, name, regions, rows } = mesh
  return withCopy(servers.postgresUrl, { original, copy: name }, (databaseUrl) =>
    withFreshClickHouse(servers.clickhouseUrl, name, rows, (clickhouseUrl) =>
      withClosers(async (keep) => {
        const how = { name, databaseUrl, clickhouseUrl }
        const controlPlane = keep(await createControlPlane(servers, how))
        await controlPlane.start()
        await shared([controlPlane])
        const agents = regions.map((region) => ({ region, child: keep(startChild(agentScript)) }))
        await Promise.all(agents.map((agent) => startRecordingAgent(servers, agent, name)))
        const result = await act((workload) => record(servers, controlPlane, agents, workload))
        // Node writes a profile only where a process ends in order
        await Promise.all(agents.map(({ child }) => child.ask({ kind: 'stop' })))
        await controlPlane.stop()
        return result
      }),
    ),
  )
}

/** Inserts the same rows into the same tables, in batches as large as ingest's were on average. */
const runRaw = (
  servers: MeshServers,
  name: string,
  workload: Workload,
  rowsPerBatch: number,
): Promise<RawRun> =>
  withFreshClickHouse(servers.clickhouseUrl, name, rowsOf(workload), (clickhouseUrl) =>
    withClosers((keep) => insertRaw(servers, keep(startRawInsert()), clickhouseUrl, workload, rowsPerBatch)),
  )

export const startRawInsert = (): Child => startChild(rawScript)

/** Inserts the rows of a workload by that process. */
export const insertRaw = async (
  servers: MeshServers,
  child: Child,
  clickhouseUrl: string,
  workload: Workload,
  rowsPerBatch: number,
): Promise<RawRun> => {
  const rows = rowsOf(workload)
  const size = Math.ceil(rowsPerBatch)
  const batches = Array.from({ length: Math.ceil(rows / size) }, () => size)
  const { clickhouse } = servers.pids
  const before = usageOf({ clickhouse })
  const question = { ...workload, clickhouseUrl, batches } satisfies RawInsertQuestion
  const answer = await child.ask<RawInsertAnswer>(question)
  const cpuSeconds = cpuSince(before, usageOf({ clickhouse }))
  return { ...answer, rows, clickhouseCpuSeconds: cpuSeconds['clickhouse'] ?? 0 }
}

const rowsOf = ({ checks, regions, slots }: Workload): number => checks * regions.length * slots

export type RecordingAgent = { region: Region; child: Child }

/** Starts the agent of one region in its process. @param name of the mesh, and of its folder */
export const startRecordingAgent = (
  servers: MeshServers,
  { region, child }: RecordingAgent,
  name: string,
): Promise<null> => {
  const agent = `${region}-bench`
  return child.ask<null>({
    kind: 'start',
    region,
    agent,
    folder: join(servers.folder, name, agent),
    natsUrl: servers.natsUrl,
    credentialsFile: servers.agentFile(region),
  } satisfies RecordingQuestion)
}

/** Sends a workload through these agents, and waits until everything is judged. */
export const record = async (
  servers: MeshServers,
  controlPlane: MeshControlPlane,
  agents: readonly RecordingAgent[],
  workload: Workload,
): Promise<MeshRun> => {
  const rows = rowsOf(workload)
  await Promise.all(
    agents.map(({ child }) => child.ask({ kind: 'prepare', workload } satisfies RecordingQuestion)),
  )
  const judged = () => controlPlane.metric('assess_readings_total')
  const inserted = () => controlPlane.metric('ingest_batch_seconds_count')
  const [judgedBefore, insertedBefore] = [await judged(), await inserted()]
  const agentPids = agents.map(({ region, child }) => [`agent-${region}`, child.pid] as const)
  const pids = {
    ...Object.fromEntries(agentPids),
    'control-plane': controlPlane.pid(),
    ...servers.pids,
  }
  const before = usageOf(pids)
  const startedAt = performance.now()
  const recorded = await Promise.all(agents.map(({ child }) => child.ask<RecordedAnswer>({ kind: 'record' })))
  await until('everything is judged', async () => (await judged()) - judgedBefore >= rows, pollMs)
  const judgedSeconds = (performance.now() - startedAt) / 1_000
  const after = usageOf(pids)
  const firstAtMs = Math.min(...recorded.map((one) => one.firstAtMs))
  const releasedAtMs = Math.max(...recorded.map((one) => one.releasedAtMs))
  return {
    rows,
    seconds: (releasedAtMs - firstAtMs) / 1_000,
    judgedSeconds,
    rowsPerBatch: rows / ((await inserted()) - insertedBefore),
    cpuSeconds: cpuSince(before, after),
  }
}

const cpuSince = (
  before: Readonly<Record<string, TreeUsage>>,
  after: Readonly<Record<string, TreeUsage>>,
): Record<string, number> =>
  Object.fromEntries(
    Object.entries(after).map(([name, { cpuSeconds }]) => [
      name,
      cpuSeconds - (before[name]?.cpuSeconds ?? 0),
    ]),
  )
