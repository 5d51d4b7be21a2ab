import { growthFigure } from './harness/growth.ts'
import type { BenchContext } from './harness/run-bench.ts'
import { withClosers } from './harness/scope.ts'
import { reportServed, startLoad, type Load, type Served, type Server } from './harness/served-load.ts'
import { bodyOf, startApp, startConstant } from './harness/servers.ts'
import { servicesOf, statusPath, statusPathsOf } from './harness/services.ts'
import { median } from './harness/statistics.ts'
import { withStores, type BenchStores } from './harness/stores.ts'
import { takeTurns } from './harness/turns.ts'

/** Services in the catalog. */
const sizes = [50, 150, 500, 5_000] as const
/** The sizes between which the cost of a request is said to grow. */
const grown = [50, 500, 5_000] as const
const compared = [150, 5_000] as const
const connections = 32
/** The longest name that the app looks up. */
const maxParamLength = 16_384

type Name = `status_of_${(typeof sizes)[number]}` | 'constant'
type Round = Readonly<Record<Name, Served>>

/**
 * `GET /v1/public/services/:slug/status` of the real app with 50 to 5,000 services, beside the same Fastify
 * that answers the same requests with a constant of the same length.
 */
export const measureAnswers = (context: BenchContext): Promise<void> =>
  withStores((stores) => measureStatus(context, stores))

const measureStatus = (context: BenchContext, stores: BenchStores): Promise<void> =>
  withClosers(async (keep) => {
    const { quick, log } = context
    const load = keep(startLoad())
    const contenders: Partial<Record<Name, (seconds: number) => Promise<Served>>> = {}
    for (const size of sizes) {
      const app = keep(await startApp(stores, { services: size }))
      contenders[`status_of_${size}`] = await prepareStatus(load, app, size)
      if (size !== compared[0]) continue
      const constant = keep(await startStatusConstant(app))
      contenders.constant = await prepareStatus(load, constant, size)
    }
    log(`status: warming up, then ${connections} connections on each in turn`)
    const all = Object.entries(contenders) as [Name, (seconds: number) => Promise<Served>][]
    for (const [, run] of all) await run(quick ? 2 : 6)
    const turns = Object.fromEntries(all.map(([name, run]) => [name, () => run(1)]))
    const rounds = await takeTurns(quick ? 6 : 30, turns as Record<Name, () => Promise<Served>>, (n) =>
      n % 5 === 0 ? log(`status, round ${n}`) : undefined,
    )
    report(context, rounds)
  })

/** Prepares requests for the status of each of so many services. */
export const prepareStatus = (load: Load, server: Server, services: number) =>
  load.prepare(
    server,
    statusPathsOf(servicesOf(services)).map((path) => ({ path })),
    connections,
  )

/** Starts a server that answers each request for a status with the app's answer for its first service. */
export const startStatusConstant = async (app: Server) => {
  const body = await bodyOf(`${app.origin}${statusPath(servicesOf(1)[0]?.slug ?? '')}`)
  return startConstant({ path: '/v1/public/services/:slug/status', body, maxParamLength })
}

const report = ({ report }: BenchContext, rounds: readonly Round[]): void => {
  for (const size of sizes) {
    const name = `status_of_${size}` as const
    reportServed(
      { report },
      name,
      rounds.map((round) => round[name]),
    )
  }
  reportServed(
    { report },
    'constant',
    rounds.map(({ constant }) => constant),
  )
  const [few, many] = compared
  for (const size of compared) {
    const of = (round: Round): Served => round[`status_of_${size}`]
    report({
      figure: `status_of_${size}_to_constant_per_cpu`,
      runs: rounds.map((round) => round.constant.cpuMs / of(round).cpuMs),
      unit: 'ratio',
      aim: { atLeast: 0.6 },
    })
  }
  report({
    figure: `status_growth_${few}_to_${many}`,
    runs: rounds.map((round) => round[`status_of_${many}`].cpuMs / round[`status_of_${few}`].cpuMs),
    unit: 'ratio',
    aim: { atMost: 1.1 },
  })
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
