import { prepareStatus, startStatusConstant } from './answers.ts'
import { prepareCall, startMcp } from './gateway.ts'
import { createBenchAccount, createBenchKey } from './harness/bench-checks.ts'
import { withFreshClickHouse } from './harness/fresh-clickhouse.ts'
import { withClosers, withFolder } from './harness/scope.ts'
import { startLoad, type Server, type Window } from './harness/served-load.ts'
import { startApp } from './harness/servers.ts'
import { withStores } from './harness/stores.ts'
import { takeTurns } from './harness/turns.ts'
import { createCheckedDatabase } from './mesh/databases.ts'
import { meshRegions, startServers } from './mesh/servers.ts'
import { insertRaw, startRawInsert, withRecordingMesh } from './mesh/throughput.ts'
import { prepareRest } from './path/rest.ts'
import { inFlight, runSlice, startProber, startRaw } from './probe/cost.ts'
import { startTargets } from './probe/targets.ts'
import type { MeasuredRatios, RatioName } from './gate/ratios.ts'

type Log = (line: string) => void
/** One slice of work. @returns its CPU per piece */
type Slice = () => Promise<number>

/** Measures every ratio, product and floor in turns. */
export const measureRatios = async (log: Log): Promise<MeasuredRatios> => ({
  ...(await measureServers(log)),
  ...(await measureProbe(log)),
  ...(await measureMesh(log)),
})

/** Ratios within one round are what a busy machine leaves alone. */
const ratiosOf = async (rounds: number, product: Slice, floor: Slice, log: Log): Promise<number[]> => {
  const turns = await takeTurns(rounds, { product, floor })
  const ratios = turns.map((round) => round.product / round.floor)
  log(`  ${ratios.map((ratio) => ratio.toPrecision(3)).join(' ')}`)
  return ratios
}

const services = 150
/** Work is counted, not timed, so that a busy machine measures the same. */
const requests = { get: 3_000, call: 2_000 }
const servedRounds = 15
const warmSlices = 8

const measureServers = (log: Log) =>
  withStores((stores) =>
    withClosers(async (keep) => {
      log('starting the app, the gateway and their floors')
      const load = keep(startLoad())
      const app = keep(await startApp(stores, { services }))
      const apiUrl = `${app.origin}/v1`
      const apiKey = await createBenchKey(stores.sql, await createBenchAccount(stores.sql, 'gateway'))
      const rest = await prepareRest(stores.sql, app, load, keep)
      const statusOf = (server: Server) => prepareStatus(load, server, services)
      const startCalls = async (kind: 'gateway' | 'hand') =>
        prepareCall(load, keep(await startMcp(kind, apiUrl)), apiKey, services)
      const [ofApp, ofConstant] = [await statusOf(app), await statusOf(keep(await startStatusConstant(app)))]
      const [ofGateway, ofHand] = [await startCalls('gateway'), await startCalls('hand')]
      const play = async (name: RatioName, product: Window, floor: Window, count: number) => {
        log(`${name}: requests to it and to its floor in turns`)
        for (const window of [product, floor]) await window({ requests: warmSlices * count })
        const slice = (window: Window) => async () => (await window({ requests: count })).cpuMs
        return ratiosOf(servedRounds, slice(product), slice(floor), log)
      }
      return {
        get_check: await play('get_check', rest.ofApp, rest.ofConstant, requests.get),
        is_service_down: await play('is_service_down', ofApp, ofConstant, requests.get),
        tools_call: await play('tools_call', ofGateway, ofHand, requests.call),
      }
    }),
  )

const probe = { warmChecks: 10_000, rounds: 11, checks: 1_000 }

/** Of the bench's own target, which every machine has. */
const measureProbe = (log: Log) =>
  withClosers(async (keep) => {
    log('http_check: checks and raw sockets in turns')
    const target = keep(await startTargets())
    const contenders = [startProber('agent', target, true, keep), startRaw(target, keep)] as const
    const slice = (at: 0 | 1, count: number) => async () => {
      const { cpuSeconds } = await runSlice(contenders[at], { secure: false, count, inFlight })
      return cpuSeconds / count
    }
    for (const at of [0, 1] as const) await slice(at, probe.warmChecks)()
    return { http_check: await ratiosOf(probe.rounds, slice(0, probe.checks), slice(1, probe.checks), log) }
  })

const database = 'bench_gate'
const mesh = { checks: 2_000, slots: 5, warmRounds: 1, rounds: 6 }
/** The floor's rows of one insert. The product's number depends on the machine. */
const rowsPerInsert = 10_000

const measureMesh = (log: Log) =>
  withFolder((folder) =>
    withClosers(async (keep) => {
      log('agent_to_stored: starting a mesh')
      const { checks, slots, warmRounds, rounds } = mesh
      const regions = meshRegions
      const servers = keep(await startServers(folder))
      await createCheckedDatabase(servers.postgresUrl, database, {
        count: checks,
        regions,
        intervalSeconds: 60,
      })
      const perSlice = checks * regions.length * slots
      const rows = perSlice * (warmRounds + rounds)
      const startMs = Date.now() - (slots * (warmRounds + rounds) + 2) * 60_000
      /** Slots of their own for each slice. */
      const workloads = () => {
        let slice = 0
        return () => ({ checks, regions, slots, fromMs: startMs + slice++ * slots * 60_000 })
      }
      return withFreshClickHouse(servers.clickhouseUrl, 'bench_gate_raw', rows, (rawUrl) =>
        withRecordingMesh(
          servers,
          { original: database, name: 'bench_gate_mesh', regions, rows },
          async (send) => {
            const [toMesh, toRaw] = [workloads(), workloads()]
            const raw = keep(startRawInsert())
            const product = async () => {
              const { cpuSeconds } = await send(toMesh())
              return Object.values(cpuSeconds).reduce((all, one) => all + one, 0)
            }
            const floor = async () => {
              const run = await insertRaw(servers, raw, rawUrl, toRaw(), rowsPerInsert)
              return run.cpuSeconds + run.clickhouseCpuSeconds
            }
            log('agent_to_stored: readings through the mesh and raw inserts in turns')
            await ratiosOf(warmRounds, product, floor, log)
            return { agent_to_stored: await ratiosOf(rounds, product, floor, log) }
          },
        ),
      )
    }),
  )
