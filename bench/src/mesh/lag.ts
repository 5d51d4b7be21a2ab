import { setTimeout as wait } from 'node:timers/promises'
import type { BenchContext } from '../run-bench.ts'
import { byFifths, percentile } from '../statistics.ts'
import { checkIdOf } from '../path/bench-checks.ts'
import type { AgentQuestion } from './agent-process.ts'
import { countStored } from './count-stored.ts'
import type { PacedMesh } from './paced-mesh.ts'
import { usageOf } from './process-tree.ts'
import type { TreeUsage } from './process-tree.ts'
import type { MeshServers } from './servers.ts'
import { until } from './until.ts'

/** Two rounds of every check. */
const warmMs = 20_000
const windowMs = (quick: boolean): number => (quick ? 10_000 : 60_000)
/** Checks whose targets go down while lag is measured. */
const flippingChecks = 200

/** How long a reading is on its way, and a flip, at the pace of a real load. */
export const measureLag = async (
  context: BenchContext & { servers: MeshServers },
  mesh: PacedMesh,
): Promise<Record<string, TreeUsage>> => {
  const { servers, quick, say } = context
  const { told, clickhouse, agents, controlPlanes } = mesh
  say(`lag: warming up for ${warmMs / 1_000} s, then ${windowMs(quick) / 1_000} s`)
  await wait(warmMs)
  const pids = {
    ...Object.fromEntries(agents.map(({ region, child }) => [`agent-${region}`, child.pid])),
    'control-plane': controlPlanes[0].pid(),
    ...servers.pids,
  }
  told.clear()
  const before = usageOf(pids)
  const fromMs = Date.now()
  await wait(windowMs(quick) / 2)
  await setDown(mesh, flippingChecks)
  await wait(windowMs(quick) / 2)
  const toMs = Date.now()
  const after = usageOf(pids)
  const inWindow = () =>
    told.readings.filter(({ measuredAt }) => measuredAt >= fromMs && measuredAt < toMs)
  const made = await countMade(mesh, fromMs, toMs)
  await until('every reading of the window is told', () => inWindow().length >= made)
  const stored = await countStored(clickhouse, fromMs, toMs)
  if (stored !== made) throw new Error(`${made} readings were made and ${stored} stored`)
  const lags = inWindow().map(({ measuredAt, toldAt }) => toldAt - measuredAt)
  const seconds = (toMs - fromMs) / 1_000
  reportLags(context, 'mesh_lag', lags, { readingsPerSecond: stored / seconds })
  await reportFlips(context, mesh)
  reportCores(context, before, after, seconds)
  await setDown(mesh, 0)
  return after
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

/** From the first reading of a check that says down to the news of its first flip. */
const reportFlips = async (context: BenchContext, mesh: PacedMesh): Promise<void> => {
  const { told, agents } = mesh
  await until('every check that went down flips', () => told.flips.size >= flippingChecks)
  const question = { kind: 'seenDown' } satisfies AgentQuestion
  const seen = await Promise.all(
    agents.map(({ child }) => child.ask<Record<string, number>>(question)),
  )
  const lags = [...told.flips].map(([checkId, toldAt]) => {
    const first = Math.min(...seen.map((one) => one[checkId] ?? Number.POSITIVE_INFINITY))
    return toldAt - first
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
      ...(label === 'p99' ? { aim: { atMost: 2_000 } } : {}),
      context: { ...more, runs: byFifths(lags, valueOf) },
    })
  }
}

const reportCores = (
  { report }: BenchContext,
  before: Readonly<Record<string, TreeUsage>>,
  after: Readonly<Record<string, TreeUsage>>,
  seconds: number,
): void => {
  const busy = Object.entries(after).map(
    ([name, usage]) =>
      [name, (usage.cpuSeconds - (before[name]?.cpuSeconds ?? 0)) / seconds] as const,
  )
  report({
    figure: 'mesh_paced_cores_used',
    value: busy.reduce((sum, [, cores]) => sum + cores, 0),
    unit: 'cores',
    context: Object.fromEntries(busy),
  })
}
