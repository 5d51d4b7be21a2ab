import { setTimeout as wait } from 'node:timers/promises'
import type { ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import type { BenchContext } from '../harness/run-bench.ts'
import { byFifths, percentile } from '../harness/statistics.ts'
import { checkIdOf } from '../harness/bench-ids.ts'
import type { AgentQuestion } from './agent-process.ts'
import type { PacedMesh } from './paced-mesh.ts'
import { usageOf, type TreeUsage } from '../harness/process-tree.ts'
import type { MeshServers } from './servers.ts'
import { until } from '../harness/until.ts'

/** Two rounds of every check. */
const warmMs = 20_000
const windowMs = (quick: boolean): number => (quick ? 10_000 : 60_000)
/** Checks whose targets go down in the middle of the window. */
const flippingChecks = 200

/** How long a reading and a flip take from the agent to a subscriber, under a real load. */
export const measureLag = async (
  context: BenchContext & { servers: MeshServers },
  mesh: PacedMesh,
): Promise<void> => {
  const { servers, quick, log } = context
  const { announced, clickhouse, agents, controlPlanes } = mesh
  log(`lag: warming up for ${warmMs / 1_000} s, then ${windowMs(quick) / 1_000} s`)
  await wait(warmMs)
  const pids = {
    ...Object.fromEntries(agents.map(({ region, child }) => [`agent-${region}`, child.pid])),
    'control-plane': controlPlanes[0].pid(),
    ...servers.pids,
  }
  announced.clear()
  const before = usageOf(pids)
  const fromMs = Date.now()
  await wait(windowMs(quick) / 2)
  await setDown(mesh, flippingChecks)
  await wait(windowMs(quick) / 2)
  const toMs = Date.now()
  const after = usageOf(pids)
  const inWindow = () =>
    announced.readings.filter(({ measuredAt }) => measuredAt >= fromMs && measuredAt < toMs)
  const made = await countMade(mesh, fromMs, toMs)
  await until('the event of every reading in the window', () => inWindow().length >= made)
  const stored = await countStored(clickhouse, fromMs, toMs)
  if (stored !== made) throw new Error(`${made} readings were made and ${stored} stored`)
  const lags = inWindow().map(({ measuredAt, announcedAt }) => announcedAt - measuredAt)
  const seconds = (toMs - fromMs) / 1_000
  reportLags(context, 'mesh_lag', lags, { readingsPerSecond: stored / seconds })
  await reportFlips(context, mesh)
  reportUsage(context, before, after, seconds)
  await setDown(mesh, 0)
}

const setDown = async ({ agents }: PacedMesh, count: number): Promise<void> => {
  const checkIds = Array.from({ length: count }, (_, n) => checkIdOf(n))
  const question = { kind: 'down', checkIds } satisfies AgentQuestion
  await Promise.all(agents.map(({ child }) => child.ask(question)))
}

const countMade = async ({ agents }: PacedMesh, fromMs: number, toMs: number): Promise<number> => {
  const question = { kind: 'made', fromMs, toMs } satisfies AgentQuestion
  const counts = await Promise.all(agents.map(({ child }) => child.ask<number>(question)))
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Counts the stored scheduled readings that were measured in [from, to), Unix ms. */
const countStored = async (clickhouse: ClickHouse, fromMs: number, toMs: number): Promise<number> => {
  const result = await clickhouse.query({
    query: `
      select count() as count from readings_raw
      where kind = 'scheduled' and toUnixTimestamp64Milli(measured_at) >= {from:Int64}
        and toUnixTimestamp64Milli(measured_at) < {to:Int64}`,
    query_params: { from: fromMs, to: toMs },
    format: 'JSONEachRow',
  })
  const [row] = await result.json<{ count: number }>()
  return row?.count ?? 0
}

/** From the first down reading of a check to the event of its first flip. */
const reportFlips = async (context: BenchContext, mesh: PacedMesh): Promise<void> => {
  const { announced, agents } = mesh
  await until('a flip of every check that went down', () => announced.flips.size >= flippingChecks)
  const question = { kind: 'seenDown' } satisfies AgentQuestion
  const seen = await Promise.all(agents.map(({ child }) => child.ask<Record<string, number>>(question)))
  const lags = [...announced.flips].map(([checkId, announcedAt]) => {
    const first = Math.min(...seen.map((one) => one[checkId] ?? Number.POSITIVE_INFINITY))
    return announcedAt - first
  })
  reportLags(context, 'mesh_flip_lag', lags, { flips: lags.length })
}

const reportLags = (
  { report }: BenchContext,
  figure: string,
  lags: readonly number[],
  more: Record<string, number>,
): void => {
  const shares = { p50: 0.5, p99: 0.99, max: 1 } as const
  for (const [label, share] of Object.entries(shares)) {
    const valueOf = (some: readonly number[]) => percentile(some, share)
    report({
      figure: `${figure}_${label}`,
      value: valueOf(lags),
      unit: 'ms',
      runs: byFifths(lags, valueOf),
      aim: label === 'p99' ? { atMost: 2_000 } : undefined,
      context: more,
    })
  }
}

/** The memory of each process, and the cores that all of them use. */
const reportUsage = (
  { report }: BenchContext,
  before: Readonly<Record<string, TreeUsage>>,
  after: Readonly<Record<string, TreeUsage>>,
  seconds: number,
): void => {
  let cores = 0
  for (const [name, { mib, cpuSeconds }] of Object.entries(after)) {
    report({ figure: `mesh_${name.replaceAll('-', '_')}_memory`, value: mib, unit: 'MiB' })
    cores += (cpuSeconds - (before[name]?.cpuSeconds ?? 0)) / seconds
  }
  report({ figure: 'mesh_paced_cores_used', value: cores, unit: 'cores' })
}
