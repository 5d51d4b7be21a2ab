import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import type { Stores } from '@probe-mesh/infra/start/stores/stores'
import { withFolder } from '../folder.ts'
import { until } from '../mesh/until.ts'
import { repeatsOf } from '../repeats.ts'
import type { BenchContext } from '../run-bench.ts'
import { median } from '../statistics.ts'
import { countedOf, createErrorAccount } from './bench-projects.ts'
import { expectStatuses, startApp, startLoad, usageOf } from './servers.ts'
import type { Run } from './servers.ts'

const connections = 16
const basePerSecond = 50
const factors = [1, 4, 16] as const

type Step = Run & {
  /** From the last answer until every event is counted. */
  countedAfterMs: number
  /** Of the whole process, the persister's included, until then. */
  wholeCpuMs: number
}

/** The whole way in one process, as `npm start` has it, at 1, 4 and 16 times the events. */
export const measureGrowth = (
  context: BenchContext & { stores: Stores; sql: Sql },
): Promise<void> =>
  withFolder(async (folder) => {
    const { stores, sql, quick, say, report } = context
    const { projects } = await createErrorAccount(sql, 'growth')
    const paths = projects.map(({ path }) => path)
    const load = startLoad()
    const app = await startApp({ stores, folder, name: 'growth', persists: true })
    let sent = 0
    const step = async (perSecond: number, seconds: number): Promise<Step> => {
      const before = await usageOf(app)
      const run = await load.run(app, { kind: 'events', paths, connections, seconds, perSecond })
      expectStatuses(run, [200])
      sent += run.requests
      const endedAt = performance.now()
      await until(
        'every event is counted',
        async () => (await countedOf(sql, projects))['stored'] === sent,
        20,
      )
      const countedAfterMs = performance.now() - endedAt
      const after = await usageOf(app)
      const wholeCpuMs = ((after.cpuSeconds - before.cpuSeconds) / run.requests) * 1_000
      return { ...run, countedAfterMs, wholeCpuMs }
    }
    try {
      say('growth: warming up')
      await step(basePerSecond * 4, quick ? 1 : 4)
      const rounds: Step[][] = []
      for (let n = 1; n <= repeatsOf(quick); n++) {
        say(
          `growth, round ${n}: ${factors.map((factor) => factor * basePerSecond).join(', ')} a second`,
        )
        const round: Step[] = []
        for (const factor of factors) round.push(await step(factor * basePerSecond, quick ? 2 : 8))
        rounds.push(round)
      }
      for (const [at, factor] of factors.entries()) {
        const of = (figure: (one: Step) => number) =>
          rounds.flatMap((round) => (round[at] === undefined ? [] : [figure(round[at])]))
        const perSecond = median(of((one) => one.perSecond))
        for (const [name, unit, values] of [
          ['answer_p50', 'ms', of((one) => one.p50Ms)],
          ['answer_p99', 'ms', of((one) => one.p99Ms)],
          ['counted_after', 'ms', of((one) => one.countedAfterMs)],
          ['cpu_per_event', 'CPU ms', of((one) => one.wholeCpuMs)],
        ] as const) {
          const context = { runs: values, perSecond, asked: factor * basePerSecond }
          report({ figure: `whole_${factor}x_${name}`, value: median(values), unit, context })
        }
      }
      const growth = rounds.map(
        (round) => (round.at(-1)?.wholeCpuMs ?? 0) / (round[0]?.wholeCpuMs ?? 0),
      )
      report({
        figure: 'whole_cpu_per_event_16x_to_1x',
        value: median(growth),
        unit: 'ratio',
        aim: { atMost: 1.1 },
        context: { runs: growth },
      })
    } finally {
      await Promise.all([load.close(), app.child.close()])
    }
  })
