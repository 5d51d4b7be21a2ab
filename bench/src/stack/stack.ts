import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { setTimeout as wait } from 'node:timers/promises'
import { createChecks } from '@probe-mesh/acceptance/testing/create-checks'
import { createCommandPart } from '@probe-mesh/infra/testing/processes/command-part'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import type { Part } from '@probe-mesh/infra/testing/processes/part'
import { programCommand, programEnvironment } from '@probe-mesh/infra/testing/processes/program-command'
import { startProcesses, type Processes } from '@probe-mesh/infra/testing/processes/processes'
import { growthFigure } from '../harness/growth.ts'
import { usageOf } from '../harness/process-tree.ts'
import { until } from '../harness/until.ts'
import { startFailingSite } from '../outage/ends.ts'
import type { BenchContext } from '../harness/run-bench.ts'
import { measureShipped } from './shipped.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const regions = ['iad', 'fra']
/** Long enough for the memory of the start to be released. */
const restMs = (quick: boolean): number => (quick ? 5_000 : 60_000)
/** Checks of 60 s. */
const sizes = (quick: boolean): number[] => (quick ? [10, 100] : [100, 1_000, 10_000])
/** Concurrent requests that create checks. */
const createRequests = 8
/** How long the programs run with the last size before their memory is taken. */
const settleMs = (quick: boolean): number => (quick ? 5_000 : 600_000)
const gatewayKey = 'bench-gateway-key-of-thirty-two-characters'

/** `npm start` as it ships, and a mesh of processes, idle and with more and more checks. */
export const measureStack = async (context: BenchContext): Promise<void> => {
  await bundle()
  await measureShipped(context)
  await measureProcesses(context)
}

/** Starts below are those of an installed copy. */
const bundle = async (): Promise<void> => {
  await promisify(execFile)(process.execPath, [join(root, 'infra/start/bundle/main.ts')])
}

const measureProcesses = async ({ quick, log, report }: BenchContext): Promise<void> => {
  const site = await startFailingSite()
  const tiers = { scale: { monitors: 100_000 } }
  log('a mesh of processes: two control planes, two agents, Postgres, ClickHouse, NATS')
  const environment = { GATEWAY_KEY: gatewayKey }
  const mesh = await startProcesses({ regions, tiers, budgetScale: 10_000, agentsPerRegion: 1, environment })
  const gateway = await createGateway(mesh.apiUrl)
  try {
    await gateway.start()
    await wait(restMs(quick))
    const idle = memoryOf(mesh)
    report({ figure: 'processes_idle_memory', value: sumOf(idle), unit: 'MiB', context: idle })
    const steps: { work: number; cost: number }[] = []
    let created = 0
    for (const size of sizes(quick)) {
      await addChecks(mesh, size - created, site.url('/'))
      created = size
      await until('every check is assigned', async () => (await assigned(mesh)) === 2 * size)
      log(`${size} checks, for ${restMs(quick) / 1_000} s`)
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
    log(`each program with ${created} checks, after ${settleMs(quick) / 1_000} s`)
    await wait(settleMs(quick))
    for (const [name, part] of [
      ['agent', mesh.agents[0]],
      ['control_plane', mesh.controlPlanes[0]],
      ['gateway', gateway],
    ] as const) {
      const used = usageOf({ it: part?.processIds()[0] ?? 0 })['it']
      report({ figure: `${name}_memory_of_${created}_settled`, value: used?.mib ?? 0, unit: 'MiB' })
    }
    report(
      growthFigure({
        figure: 'processes_memory',
        of: 'memory of a whole mesh',
        in: 'checks every 60 s in two regions',
        unit: 'MiB',
        steps,
      }),
    )
  } finally {
    await gateway.close()
    await mesh.close()
    await site.close()
  }
}

const createGateway = async (apiUrl: string): Promise<Part> => {
  const [port = 0] = await freePorts(1)
  const folder = await mkdtemp(join(tmpdir(), 'bench-gateway-'))
  const part = createCommandPart({
    name: 'gateway',
    command: programCommand('mcp-gateway'),
    environment: {
      ...programEnvironment,
      GATEWAY_KEY: gatewayKey,
      PUBLIC_URL: apiUrl.replace(/\/v1$/, ''),
      MCP_PORT: String(port),
      LOG_LEVEL: 'error',
    },
    logFile: join(folder, 'log'),
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok,
  })
  const close = async (): Promise<void> => {
    await part.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { ...part, close }
}

const addChecks = async (mesh: Processes, count: number, url: string): Promise<void> => {
  const inputs = Array.from({ length: count }, (_, n) => ({
    name: `check ${n}`,
    url,
    intervalSeconds: 60,
  }))
  const share = Math.ceil(count / createRequests)
  await Promise.all(
    Array.from({ length: createRequests }, (_, n) =>
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

/** Resident memory of each part with all its processes. Shared memory counts once. MiB. */
const memoryOf = (mesh: Processes): Record<string, number> => {
  const parts = [...mesh.controlPlanes, ...mesh.agents, mesh.postgres, mesh.clickhouse, mesh.nats]
  const roots = Object.fromEntries(parts.map((part) => [part.name, part.processIds()[0] ?? 0]))
  return Object.fromEntries(Object.entries(usageOf(roots)).map(([name, { mib }]) => [name, mib]))
}

const sumOf = (parts: Readonly<Record<string, number>>): number =>
  Object.values(parts).reduce((sum, mib) => sum + mib, 0)
