import { withClosers, withFolder } from './harness/scope.ts'
import type { BenchContext } from './harness/run-bench.ts'
import { startChild } from './harness/child.ts'
import { usageOf } from './harness/process-tree.ts'
import { withFreshClickHouse } from './harness/fresh-clickhouse.ts'
import { createControlPlane, shared, type MeshControlPlane } from './mesh/control-plane.ts'
import { createCheckedDatabase, withCopy } from './mesh/databases.ts'
import { meshRegions, startServers, type MeshServers } from './mesh/servers.ts'
import { agentScript, record, startRecordingAgent } from './mesh/throughput.ts'
import { until } from './harness/until.ts'

const intervalSeconds = 60
const intervalMs = intervalSeconds * 1_000
/** Readings of each check and region after each start. */
const slots = 3
const counts = (quick: boolean): readonly number[] => (quick ? [10_000] : [10_000, 20_000])
const restartsOf = (quick: boolean): number => (quick ? 2 : 10)

/** The CPU of nats-server after one start of the control plane, seconds. */
type Life = {
  /** From the start until every check is assigned. */
  start: number
  per1000: number
  /** Of the readings: a mesh that waits costs a little too. */
  seconds: number
}

/**
 * A control plane that is restarted on a mesh that has its assignments: what nats-server costs after each start,
 * beside the first. `TEST_NATS_SERVER` names another server than that of the machine.
 */
export const measureRestarts = async (context: BenchContext): Promise<void> => {
  for (const checks of counts(context.quick)) {
    await withFolder(async (folder) => {
      const servers = await startServers(folder)
      try {
        report(context, checks, await measureLives(context, servers, checks))
      } finally {
        await servers.close()
      }
    })
  }
}

const measureLives = async (
  { quick, log }: BenchContext,
  servers: MeshServers,
  checks: number,
): Promise<Life[]> => {
  const original = `bench_restarts_${checks}`
  const name = `${original}_mesh`
  const lives = restartsOf(quick) + 1
  await createCheckedDatabase(servers.postgresUrl, original, {
    count: checks,
    regions: meshRegions,
    intervalSeconds,
  })
  const rows = lives * slots * checks * meshRegions.length
  const firstMs = Date.now() - (lives * slots + 2) * intervalMs
  return withCopy(servers.postgresUrl, { original, copy: name }, (databaseUrl) =>
    withFreshClickHouse(servers.clickhouseUrl, name, rows, (clickhouseUrl) =>
      withClosers(async (keep) => {
        const controlPlane = keep(await createControlPlane(servers, { name, databaseUrl, clickhouseUrl }))
        const agents = meshRegions.map((region) => ({ region, child: keep(startChild(agentScript)) }))
        await Promise.all(agents.map((agent) => startRecordingAgent(servers, agent, name)))
        const measured: Life[] = []
        for (let n = 0; n < lives; n++) {
          log(`restarts: start ${n + 1} of ${lives} with ${checks} checks`)
          const before = natsSeconds(servers)
          await controlPlane.start()
          await shared([controlPlane])
          await until('every check is assigned', () => isAssigned(controlPlane))
          const start = natsSeconds(servers) - before
          const fromMs = firstMs + n * slots * intervalMs
          const run = await record(servers, controlPlane, agents, {
            checks,
            regions: meshRegions,
            slots,
            fromMs,
          })
          const per1000 = ((run.cpuSeconds['nats-server'] ?? 0) / run.rows) * 1_000
          log(
            `  nats-server: ${start.toFixed(2)} s at the start, ${per1000.toFixed(4)} s per 1,000 readings in ${run.judgedSeconds.toFixed(0)} s`,
          )
          measured.push({ start, per1000, seconds: run.judgedSeconds })
          await controlPlane.stop()
        }
        await Promise.all(agents.map(({ child }) => child.ask({ kind: 'stop' })))
        return measured
      }),
    ),
  )
}

/** `/readyz` lists the parts that are not complete yet. */
const isAssigned = async ({ url }: MeshControlPlane): Promise<boolean> => {
  const answer = await fetch(`${url}/readyz`)
  return answer.ok && !(await answer.text()).includes('"assignments"')
}

const natsSeconds = ({ pids }: MeshServers): number =>
  usageOf({ nats: pids['nats-server'] })['nats']?.cpuSeconds ?? 0

const report = ({ report }: BenchContext, checks: number, [first, ...restarts]: Life[]): void => {
  if (first === undefined) return
  const name = `restarts_${checks}_nats_cpu`
  const context = {
    checks,
    first: first.per1000,
    firstSeconds: first.seconds,
    seconds: restarts.map(({ seconds }) => seconds),
  }
  report({
    figure: `${name}_per_1000_readings`,
    runs: restarts.map(({ per1000 }) => per1000),
    unit: 'CPU s',
    context,
  })
  report({
    figure: `${name}_to_first`,
    runs: restarts.map(({ per1000 }) => per1000 / first.per1000),
    unit: 'ratio',
    aim: { atMost: 1.2 },
  })
  report({ figure: `${name}_at_start`, runs: restarts.map(({ start }) => start), unit: 'CPU s' })
}
