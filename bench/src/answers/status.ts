import type { Stores } from '@probe-mesh/infra/start/stores/stores'
import { withFolder } from '../folder.ts'
import { growthFigure } from '../growth.ts'
import type { BenchContext } from '../run-bench.ts'
import type { Run } from '../served-load.ts'
import { median } from '../statistics.ts'
import { servicesOf, statusPath } from './names.ts'
import { connections, startApp, startConstant, startLoad } from './servers.ts'
import type { Load, Server } from './servers.ts'

/** Services of the catalog; with those of `grown` it is shown how the cost grows. */
const sizes = [50, 150, 500, 5_000] as const
const grown = [50, 500, 5_000] as const
const compared = [150, 5_000] as const

type Name = `status_of_${(typeof sizes)[number]}` | 'constant'
type Round = Readonly<Record<Name, Run>>

/**
 * `GET /v1/public/services/:slug/status` of the real app with 50 to 5,000 services, beside
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
      const contenders: [Name, Server][] = []
      for (const size of sizes) contenders.push([`status_of_${size}`, await app(size)])
      const body = await bodyOf(contenders[0]?.[1])
      contenders.push(['constant', await started(startConstant(body, compared[0]))])
      const seconds = 1
      say(`status: warming up, then ${connections} connections on each in turn`)
      for (const [, server] of contenders) await load.ask(server, quick ? 2 : 6)
      const rounds: Round[] = []
      for (let n = 1; n <= (quick ? 6 : 30); n++) {
        if (n % 5 === 0) say(`status, round ${n}`)
        rounds.push(await measureRound(load, contenders, n, seconds))
      }
      report(context, rounds, Buffer.byteLength(body))
    } finally {
      await Promise.all([load.close(), ...servers.map(({ child }) => child.close())])
    }
  })

/** Each once, and who is first moves on. */
const measureRound = async (
  load: Load,
  contenders: readonly [Name, Server][],
  number: number,
  seconds: number,
): Promise<Round> => {
  const turn = number % contenders.length
  const runs: Partial<Record<Name, Run>> = {}
  for (const [name, server] of [...contenders.slice(turn), ...contenders.slice(0, turn)]) {
    runs[name] = await load.ask(server, seconds)
  }
  return complete(runs)
}

/** Only called where everybody had a turn. */
const complete = (runs: Partial<Record<Name, Run>>): Round => runs as Round

const bodyOf = async (server: Server | undefined): Promise<string> => {
  if (server === undefined) throw new Error('no app was started')
  const { port, services } = server
  const slug = servicesOf(services)[0]?.slug ?? ''
  const response = await fetch(`http://127.0.0.1:${port}${statusPath(slug)}`)
  if (!response.ok) throw new Error(`the status answers ${response.status}`)
  return await response.text()
}

const report = ({ report }: BenchContext, rounds: readonly Round[], bytes: number): void => {
  const names: Name[] = [...sizes.map((size) => `status_of_${size}` as const), 'constant']
  for (const name of names) {
    const of = (round: Round): Run => round[name]
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
  for (const size of compared) {
    const name = `status_of_${size}` as const
    const of = (round: Round): Run => round[name]
    const speeds = rounds.map(
      (round) => of(round).requestsPerSecond / round.constant.requestsPerSecond,
    )
    ratio(`${name}_to_constant`, speeds, { atLeast: 0.6 })
    const cpu = rounds.map((round) => round.constant.cpuMs / of(round).cpuMs)
    ratio(`${name}_to_constant_per_cpu`, cpu, { atLeast: 0.6 })
  }
  const [few, many] = compared
  const growth = rounds.map(
    (round) => round[`status_of_${many}`].cpuMs / round[`status_of_${few}`].cpuMs,
  )
  ratio(`status_growth_${few}_to_${many}`, growth, { atMost: 1.1 })
  report(
    growthFigure({
      figure: 'status_cpu',
      of: '`is_service_down` over REST',
      in: 'services in the catalog',
      unit: 'CPU ms',
      steps: grown.map((work) => ({
        work,
        cost: median(rounds.map((round) => round[`status_of_${work}`].cpuMs)),
      })),
    }),
  )
}
