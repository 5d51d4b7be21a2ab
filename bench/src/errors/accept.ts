import { startChild } from '../harness/child.ts'
import type { BenchContext } from '../harness/run-bench.ts'
import { withClosers } from '../harness/scope.ts'
import { measureServed, reportServed, type Server } from '../harness/served-load.ts'
import type { LoadAnswer } from '../harness/send-load.ts'
import { ratios } from '../harness/statistics.ts'
import { withStores, type BenchStores } from '../harness/stores.ts'
import { takeTurns } from '../harness/turns.ts'
import { createErrorAccount } from './bench-account.ts'
import type { EventsQuestion } from './load-process.ts'
import { startErrorApp, startFloor } from './servers.ts'

const connections = 16

/**
 * Error events per second that the app accepts: answered with 200, scrubbed and on the stream. Beside a
 * server that only reads, decompresses and parses the same bodies.
 */
export const measureErrors = (context: BenchContext): Promise<void> =>
  withStores((stores) => measureAccepted(context, stores))

const measureAccepted = (context: BenchContext, stores: BenchStores): Promise<void> =>
  withClosers(async (keep) => {
    const { quick, log, report } = context
    const { projects } = await createErrorAccount(stores.sql, 'accept')
    const paths = projects.map(({ path }) => path)
    const load = keep(startChild(new URL('load-process.ts', import.meta.url)))
    const run = (server: Server, seconds: number) =>
      measureServed(server, () => {
        const port = Number(new URL(server.origin).port)
        const question: EventsQuestion = { port, paths, connections, seconds }
        return load.ask<LoadAnswer>(question)
      })
    const app = keep(await startErrorApp(stores))
    const floor = keep(await startFloor())
    log(`events: warming up, then ${connections} connections on each in turn`)
    await run(app, quick ? 1 : 3)
    await run(floor, 1)
    const seconds = quick ? 1 : 5
    const rounds = await takeTurns(
      quick ? 2 : 7,
      { app: () => run(app, seconds), floor: () => run(floor, seconds) },
      (n) => log(`events, round ${n}`),
    )
    const [accepted, parsed] = [rounds.map((round) => round.app), rounds.map((round) => round.floor)]
    const events = { one: 'event', many: 'events' }
    reportServed(context, 'accepted', accepted, events)
    reportServed(context, 'parse_floor', parsed, events)
    report({
      figure: 'accepted_to_parse_floor_per_cpu',
      runs: ratios(
        parsed.map(({ cpuMs }) => cpuMs),
        accepted.map(({ cpuMs }) => cpuMs),
      ),
      unit: 'ratio',
      aim: { atLeast: 0.2 },
    })
  })
