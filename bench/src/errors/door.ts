import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import type { Stores } from '@probe-mesh/infra/start/stores/stores'
import { withFolder } from '../folder.ts'
import type { BenchContext } from '../run-bench.ts'
import { median } from '../statistics.ts'
import { packEvents } from './bench-events.ts'
import { createErrorAccount } from './bench-projects.ts'
import { expectStatuses, startApp, startFloor, startLoad } from './servers.ts'
import type { Run, Server } from './servers.ts'

const connections = 16

type Pair = { door: Run; floor: Run }

/**
 * Events a second that the door takes: answered with 200, scrubbed and on the stream. Beside a server
 * that only reads, unpacks and parses the same bodies.
 */
export const measureDoor = (context: BenchContext & { stores: Stores; sql: Sql }): Promise<void> =>
  withFolder(async (folder) => {
    const { stores, sql, quick, say } = context
    const { projects } = await createErrorAccount(sql, 'door')
    const paths = projects.map(({ path }) => path)
    const load = startLoad()
    const servers: Server[] = []
    try {
      const door = await startApp({ stores, folder, name: 'door', persists: false })
      servers.push(door)
      const floor = await startFloor()
      servers.push(floor)
      const seconds = quick ? 1 : 5
      const run = async (server: Server, forSeconds = seconds): Promise<Run> => {
        const question = {
          kind: 'events',
          paths,
          connections,
          seconds: forSeconds,
          perSecond: null,
        } as const
        const answer = await load.run(server, question)
        expectStatuses(answer, [200])
        return answer
      }
      say(`door: warming up, then ${connections} connections on each in turn`)
      await run(door, quick ? 1 : 3)
      await run(floor, 1)
      const pairs: Pair[] = []
      for (let n = 1; n <= (quick ? 2 : 7); n++) {
        say(`door, pair ${n}`)
        pairs.push({ door: await run(door), floor: await run(floor) })
      }
      report(context, pairs)
    } finally {
      await Promise.all([load.close(), ...servers.map(({ child }) => child.close())])
    }
  })

const report = ({ report }: BenchContext, pairs: readonly Pair[]): void => {
  const { rawBytes, packedBytes } = packEvents(1)
  for (const name of ['door', 'floor'] as const) {
    const of = (figure: (run: Run) => number) => pairs.map((pair) => figure(pair[name]))
    const prefix = name === 'door' ? 'accepted' : 'parse_floor'
    const perSecond = of((run) => run.perSecond)
    report({
      figure: `${prefix}_events_per_second`,
      value: median(perSecond),
      unit: 'events/s',
      context: {
        runs: perSecond,
        serverBusy: median(of((run) => run.busy)),
        rawBytes,
        packedBytes,
      },
    })
    for (const [figure, values] of [
      ['p50', of((run) => run.p50Ms)],
      ['p99', of((run) => run.p99Ms)],
    ] as const) {
      const context = { runs: values, connections }
      report({ figure: `${prefix}_answer_${figure}`, value: median(values), unit: 'ms', context })
    }
    const cpu = of((run) => run.cpuMs)
    report({
      figure: `${prefix}_cpu_per_1000_events`,
      value: median(cpu),
      unit: 'CPU s',
      context: { runs: cpu },
    })
  }
  const ratios = pairs.map(({ door, floor }) => door.perSecond / floor.perSecond)
  const perCpu = pairs.map(({ door, floor }) => floor.cpuMs / door.cpuMs)
  const aim = { atLeast: 0.2 }
  report({
    figure: 'accepted_to_parse_floor',
    value: median(ratios),
    unit: 'ratio',
    context: { runs: ratios },
  })
  report({
    figure: 'accepted_to_parse_floor_per_cpu',
    value: median(perCpu),
    unit: 'ratio',
    aim,
    context: { runs: perCpu },
  })
}
