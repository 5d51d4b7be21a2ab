import { join } from 'node:path'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { askOnce, startChild } from '../child.ts'
import type { Child } from '../child.ts'
import type { Workload } from '../path/bench-readings.ts'
import { withFreshClickHouse } from '../path/fresh-clickhouse.ts'
import type { RawInsertAnswer, RawInsertQuestion } from '../path/raw-insert-process.ts'
import { closeAll } from '@probe-mesh/infra/start/processes/close-all'
import { createControlPlane, shared } from './control-plane.ts'
import type { MeshControlPlane } from './control-plane.ts'
import { withCopy } from './databases.ts'
import { usageOf } from './process-tree.ts'
import type { TreeUsage } from './process-tree.ts'
import type { RecordedAnswer, RecordingQuestion } from './recording-agent-process.ts'
import type { MeshServers } from './servers.ts'
import { until } from './until.ts'

const agentScript = new URL('recording-agent-process.ts', import.meta.url)
const rawScript = new URL('../path/raw-insert-process.ts', import.meta.url)
const pollMs = 50

/** One run through the mesh. */
export type MeshRun = {
  rows: number
  /** From the first record to the last release, and until all was judged too. */
  seconds: number
  judgedSeconds: number
  /** How many rows ingest inserted at a time, on average. */
  rowsPerBatch: number
  /** CPU seconds until all was judged, by process. */
  cpuSeconds: Record<string, number>
  peakMib: Record<string, number>
}

export type RawRun = RawInsertAnswer & { clickhouseCpuSeconds: number }

/** Everything through two agents, the stream and a control plane that begins with nothing stored. */
export const runMesh = (
  servers: MeshServers,
  names: { original: string; name: string },
  workload: Workload,
): Promise<MeshRun> => {
  const { original, name } = names
  const rows = rowsOf(workload)
  return withCopy(servers.postgresUrl, { original, copy: name }, (databaseUrl) =>
    withFreshClickHouse(servers.clickhouseUrl, name, rows, async (clickhouseUrl) => {
      const closers: (() => Promise<void>)[] = []
      try {
        const controlPlane = await createControlPlane(servers, { name, databaseUrl, clickhouseUrl })
        closers.push(controlPlane.close)
        await controlPlane.start()
        await shared([controlPlane])
        const agents = workload.regions.map((region) => {
          const child = startChild(agentScript)
          closers.push(child.close)
          return { region, child }
        })
        await Promise.all(agents.map((agent) => prepare(servers, agent, { name, workload })))
        const run = await record(servers, controlPlane, agents, rows)
        // a profile is written at an orderly end only
        await Promise.all(agents.map(({ child }) => child.ask({ kind: 'stop' })))
        await controlPlane.stop()
        return run
      } finally {
        await closeAll(closers)
      }
    }),
  )
}

/** The same rows put straight into the same tables, so many at a time as ingest did. */
export const runRaw = async (
  servers: MeshServers,
  name: string,
  workload: Workload,
  rowsPerBatch: number,
): Promise<RawRun> => {
  const rows = rowsOf(workload)
  const size = Math.ceil(rowsPerBatch)
  const batches = Array.from({ length: Math.ceil(rows / size) }, () => size)
  return withFreshClickHouse(servers.clickhouseUrl, name, rows, async (clickhouseUrl) => {
    const { clickhouse } = servers.pids
    const before = usageOf({ clickhouse })
    const question = { ...workload, clickhouseUrl, batches } satisfies RawInsertQuestion
    const answer = await askOnce<RawInsertAnswer>(rawScript, question)
    const cpuSeconds = cpuSince(before, usageOf({ clickhouse }))
    return { ...answer, rows, clickhouseCpuSeconds: cpuSeconds['clickhouse'] ?? 0 }
  })
}

export const rowsOf = ({ checks, regions, slots }: Workload): number =>
  checks * regions.length * slots

type RecordingAgent = { region: Region; child: Child }

const prepare = (
  servers: MeshServers,
  { region, child }: RecordingAgent,
  { name, workload }: { name: string; workload: Workload },
): Promise<null> => {
  const agent = `${region}-bench`
  return child.ask<null>({
    kind: 'prepare',
    region,
    agent,
    folder: join(servers.folder, name, agent),
    natsUrl: servers.natsUrl,
    credentialsFile: servers.agentFile(region),
    workload,
  } satisfies RecordingQuestion)
}

const record = async (
  servers: MeshServers,
  controlPlane: MeshControlPlane,
  agents: readonly RecordingAgent[],
  rows: number,
): Promise<MeshRun> => {
  const agentPids = agents.map(({ region, child }) => [`agent-${region}`, child.pid] as const)
  const pids = {
    ...Object.fromEntries(agentPids),
    'control-plane': controlPlane.pid(),
    ...servers.pids,
  }
  const before = usageOf(pids)
  const startedAt = performance.now()
  const recorded = await Promise.all(
    agents.map(({ child }) => child.ask<RecordedAnswer>({ kind: 'record' })),
  )
  await until(
    'everything is judged',
    async () => (await controlPlane.metric('assess_readings_total')) >= rows,
    pollMs,
  )
  const judgedSeconds = (performance.now() - startedAt) / 1_000
  const after = usageOf(pids)
  const firstAtMs = Math.min(...recorded.map((one) => one.firstAtMs))
  const releasedAtMs = Math.max(...recorded.map((one) => one.releasedAtMs))
  const batches = await controlPlane.metric('ingest_batch_seconds_count')
  return {
    rows,
    seconds: (releasedAtMs - firstAtMs) / 1_000,
    judgedSeconds,
    rowsPerBatch: rows / batches,
    cpuSeconds: cpuSince(before, after),
    peakMib: Object.fromEntries(
      Object.entries(after).map(([name, usage]) => [name, usage.peakMib]),
    ),
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
