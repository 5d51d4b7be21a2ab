import { setTimeout as wait } from 'node:timers/promises'
import { createChecks } from '@probe-mesh/acceptance/testing/create-checks'
import { startProcesses } from '@probe-mesh/infra/testing/processes/processes'
import type { Processes } from '@probe-mesh/infra/testing/processes/processes'
import { withFolder } from './folder.ts'
import { growthFigure } from './growth.ts'
import { usageOf } from './mesh/process-tree.ts'
import { until } from './mesh/until.ts'
import { startFailingSite } from './outage/failing-site.ts'
import type { BenchContext } from './run-bench.ts'
import { createAllInOne } from './stack/all-in-one.ts'

const regions = ['iad', 'fra']
/** Long enough for what a start needs to be given back. */
const restMs = (quick: boolean): number => (quick ? 5_000 : 60_000)
/** Checks of 60 s, one after another. */
const sizes = (quick: boolean): number[] => (quick ? [10, 100] : [100, 1_000, 10_000])
/** Requests that make checks, at a time. */
const makersCount = 8

/** What a mesh takes of a machine that does nothing, and with how many checks it takes more. */
export const measureStack = async (context: BenchContext): Promise<void> => {
  await measureOneProcess(context)
  await measureProcesses(context)
}

const measureOneProcess = ({ quick, say, report }: BenchContext): Promise<void> =>
  withFolder(async (folder) => {
    say(`npm start, at rest for ${restMs(quick) / 1_000} s`)
    const one = await createAllInOne(folder)
    try {
      await one.start()
      const [pid = 0] = one.processIds()
      await wait(restMs(quick))
      const before = usageOf({ all: pid })
      await wait(restMs(quick))
      const after = usageOf({ all: pid })
      const cpuSeconds = (after['all']?.cpuSeconds ?? 0) - (before['all']?.cpuSeconds ?? 0)
      report({ figure: 'one_process_idle_memory', value: after['all']?.mib ?? 0, unit: 'MiB' })
      report({
        figure: 'one_process_idle_cpu_percent',
        value: (cpuSeconds / (restMs(quick) / 1_000)) * 100,
        unit: '% of a core',
      })
    } finally {
      await one.stop()
    }
  })

const measureProcesses = async ({ quick, say, report }: BenchContext): Promise<void> => {
  const site = await startFailingSite()
  const tiers = { scale: { monitors: 100_000 } }
  say('a mesh of processes: two control planes, two agents, Postgres, ClickHouse, NATS')
  const mesh = await startProcesses({ regions, tiers, budgetScale: 10_000, agentsPerRegion: 1 })
  try {
    await wait(restMs(quick))
    const idle = memoryOf(mesh)
    report({ figure: 'processes_idle_memory', value: sumOf(idle), unit: 'MiB', context: idle })
    const steps: { work: number; cost: number }[] = []
    let made = 0
    for (const size of sizes(quick)) {
      await addChecks(mesh, size - made, site.url('/'))
      made = size
      await until('everything is assigned', async () => (await assigned(mesh)) === 2 * size)
      say(`${size} checks, for ${restMs(quick) / 1_000} s`)
      await wait(restMs(quick))
      const used = memoryOf(mesh)
      report({
        figure: `processes_memory_of_${size}`,
        value: sumOf(used),
        unit: 'MiB',
        context: used,
      })
      steps.push({ work: size, cost: sumOf(used) })
    }
    report(
      growthFigure({
        figure: 'processes_memory',
        of: 'memory of a whole mesh',
        in: 'checks of a minute in two regions',
        unit: 'MiB',
        steps,
      }),
    )
  } finally {
    await mesh.close()
    await site.close()
  }
}

const addChecks = async (mesh: Processes, count: number, url: string): Promise<void> => {
  const inputs = Array.from({ length: count }, (_, n) => ({
    name: `check ${n}`,
    url,
    intervalSeconds: 60,
  }))
  const share = Math.ceil(count / makersCount)
  await Promise.all(
    Array.from({ length: makersCount }, (_, n) =>
      createChecks(mesh, inputs.slice(n * share, (n + 1) * share)),
    ),
  )
}

const assigned = async ({ agents }: Processes): Promise<number> => {
  const held = await Promise.all(
    agents.map((agent) => agent.metric('probe_mesh_agent_assignments').catch(() => 0)),
  )
  return held.reduce((sum, one) => sum + one, 0)
}

/** Resident memory by part, of all its processes, what they share once, MiB. */
const memoryOf = (mesh: Processes): Record<string, number> => {
  const parts = [...mesh.controlPlanes, ...mesh.agents, mesh.postgres, mesh.clickhouse, mesh.nats]
  const roots = Object.fromEntries(parts.map((part) => [part.name, part.processIds()[0] ?? 0]))
  return Object.fromEntries(Object.entries(usageOf(roots)).map(([name, { mib }]) => [name, mib]))
}

const sumOf = (parts: Readonly<Record<string, number>>): number =>
  Object.values(parts).reduce((sum, mib) => sum + mib, 0)
