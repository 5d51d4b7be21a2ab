import type { Stores } from '@probe-mesh/infra/embedded/stores'
import { withFolder } from '../folder.ts'
import type { BenchContext } from '../run-bench.ts'
import type { Run } from '../served-load.ts'
import { median } from '../statistics.ts'
import { servicesOf, statusPath } from './names.ts'
import { connections, startApp, startConstant, startLoad } from './servers.ts'
import type { Load, Server } from './servers.ts'

const [few, many] = [150, 5_000]

type Round = { few: Run; many: Run; constant: Run }

/**
 * `GET /v1/public/services/:slug/status` of the real app with 150 and with 5,000 services, beside
 * the same Fastify answering as many bytes as a constant to the same questions.
 */
export const measureStatus = (context: BenchContext & { stores: Stores }): Promise<void> =>
  withFolder(async (folder) => {
    const { stores, quick, say } = context
    const load = startLoad()
    const servers: Server[] = []
    const started = async (server: Promise<Server>): Promise<Server> => {
      servers.push(await server)
      return server
    }
    try {
      const app = (services: number) =>
        started(startApp({ stores, folder, services, addressesAreNamed: false }))
      const [small, large] = [await app(few), await app(many)]
      const body = await bodyOf(small)
      const constant = await started(startConstant(body, few))
      const seconds = 1
      say(`status: warming up, then ${connections} connections on each in turn`)
      for (const server of [small, large, constant]) await load.ask(server, quick ? 2 : 6)
      const rounds: Round[] = []
      for (let n = 1; n <= (quick ? 6 : 30); n++) {
        if (n % 5 === 0) say(`status, round ${n}`)
        rounds.push(await measureRound(load, { small, large, constant }, n, seconds))
      }
      report(context, rounds, Buffer.byteLength(body))
    } finally {
      await Promise.all([load.close(), ...servers.map(({ child }) => child.close())])
    }
  })

/** Each once, and who is first moves on. */
const measureRound = async (
  load: Load,
  servers: { small: Server; large: Server; constant: Server },
  number: number,
  seconds: number,
): Promise<Round> => {
  const turns = [
    ['few', servers.small],
    ['many', servers.large],
    ['constant', servers.constant],
  ] as const
  const runs = new Map<string, Run>()
  for (let at = 0; at < turns.length; at++) {
    const [name, server] = turns[(at + number) % turns.length] ?? turns[0]
    runs.set(name, await load.ask(server, seconds))
  }
  const runOf = (name: string): Run => {
    const run = runs.get(name)
    if (run === undefined) throw new Error(`${name} had no turn`)
    return run
  }
  return { few: runOf('few'), many: runOf('many'), constant: runOf('constant') }
}

const bodyOf = async ({ port, services }: Server): Promise<string> => {
  const slug = servicesOf(services)[0]?.slug ?? ''
  const response = await fetch(`http://127.0.0.1:${port}${statusPath(slug)}`)
  if (!response.ok) throw new Error(`the status answers ${response.status}`)
  return await response.text()
}

const report = ({ report }: BenchContext, rounds: readonly Round[], bytes: number): void => {
  for (const [name, of] of [
    [`status_of_${few}`, ({ few }: Round) => few],
    [`status_of_${many}`, ({ many }: Round) => many],
    ['constant', ({ constant }: Round) => constant],
  ] as const) {
    const speeds = rounds.map((round) => of(round).requestsPerSecond)
    report({
      figure: `${name}_requests_per_second`,
      value: median(speeds),
      unit: 'requests/s',
      context: { runs: speeds, bytes, connections, serverBusy: medianOf(rounds, of, 'busy') },
    })
    const latencies = rounds.map((round) => of(round).latencyP99Ms)
    report({
      figure: `${name}_latency_p99`,
      value: median(latencies),
      unit: 'ms',
      context: { runs: latencies },
    })
    const cpu = rounds.map((round) => of(round).cpuMs)
    report({
      figure: `${name}_cpu_per_request`,
      value: median(cpu),
      unit: 'CPU ms',
      context: { runs: cpu },
    })
  }
  reportRatios({ report }, rounds)
}

const medianOf = (rounds: readonly Round[], of: (round: Round) => Run, part: keyof Run): number =>
  median(rounds.map((round) => of(round)[part]))

const reportRatios = ({ report }: Pick<BenchContext, 'report'>, rounds: readonly Round[]): void => {
  const ratio = (figure: string, runs: number[], aim: { atLeast: number } | { atMost: number }) =>
    report({ figure, value: median(runs), unit: 'ratio', aim, context: { runs } })
  for (const [name, of] of [
    [`status_of_${few}`, ({ few }: Round) => few],
    [`status_of_${many}`, ({ many }: Round) => many],
  ] as const) {
    const speeds = rounds.map(
      (round) => of(round).requestsPerSecond / round.constant.requestsPerSecond,
    )
    ratio(`${name}_to_constant`, speeds, { atLeast: 0.6 })
    const cpu = rounds.map((round) => round.constant.cpuMs / of(round).cpuMs)
    ratio(`${name}_to_constant_per_cpu`, cpu, { atLeast: 0.6 })
  }
  const growth = rounds.map((round) => round.many.cpuMs / round.few.cpuMs)
  ratio(`status_growth_${few}_to_${many}`, growth, { atMost: 1.1 })
}
