import { startChild, type Child } from './child.ts'
import type { BenchContext } from './run-bench.ts'
import type { LoadQuestion } from './load-process.ts'
import type { Amount, LoadAnswer, LoadRequest } from './send-load.ts'
import { median } from './statistics.ts'
import type { Usage } from './usage.ts'

/** A server in a process of its own, which answers `{ kind: 'usage' }`. */
export type Server = { child: Child; origin: string }

/** One window of load, and what it took of the server. */
export type Served = {
  perSecond: number
  /** CPU of the server per request, all its threads. */
  cpuMs: number
  /** CPU of the server by wall time. Well below 1, the client or a neighbour was the bottleneck. */
  busy: number
  p99Ms: number
}

/** Starts a server. @param question what its script needs to start; it answers with its origin */
export const startServer = async (
  script: URL,
  question: unknown,
): Promise<Server & { close(): Promise<void> }> => {
  const child = startChild(script)
  try {
    return { child, origin: await child.ask<string>(question), close: () => child.close() }
  } catch (error) {
    await child.close()
    throw error
  }
}

/**
 * Measures a window of load.
 * @throws where a response did not have status 200
 */
export const measureServed = async ({ child }: Server, load: () => Promise<LoadAnswer>): Promise<Served> => {
  const usage = () => child.ask<Usage>({ kind: 'usage' })
  const before = await usage()
  const { requests, errors, seconds, p99Ms } = await load()
  const after = await usage()
  if (errors > 0) throw new Error(`${errors} responses of ${requests} did not have status 200`)
  const cpuSeconds = after.cpuSeconds - before.cpuSeconds
  return {
    perSecond: requests / seconds,
    cpuMs: (cpuSeconds / requests) * 1_000,
    busy: cpuSeconds / (after.atSeconds - before.atSeconds),
    p99Ms,
  }
}

/** Sends one window of prepared requests, for some seconds or so many of them, and measures it. */
export type Window = (amount: number | { requests: number }) => Promise<Served>

/** A client in a process of its own. */
export type Load = {
  /** Prepares requests, which are sent in turn. */
  prepare(server: Server, requests: readonly LoadRequest[], connections: number): Promise<Window>
  close(): Promise<void>
}

export const startLoad = (): Load => {
  const child = startChild(new URL('load-process.ts', import.meta.url))
  const ask = <Answer>(question: LoadQuestion): Promise<Answer> => child.ask<Answer>(question)
  return {
    prepare: async (server, requests, connections) => {
      const port = Number(new URL(server.origin).port)
      const prepared = await ask<number>({ kind: 'prepare', port, requests })
      const send = (amount: Amount) =>
        measureServed(server, () => ask<LoadAnswer>({ kind: 'run', prepared, connections, ...amount }))
      return (amount) => send(typeof amount === 'number' ? { seconds: amount } : amount)
    },
    close: () => child.close(),
  }
}

/** Reports rate, slowest percent and CPU of one contender. @param what it served: `requests` */
export const reportServed = (
  { report }: Pick<BenchContext, 'report'>,
  name: string,
  runs: readonly Served[],
  what: { one: string; many: string } = { one: 'request', many: 'requests' },
): void => {
  for (const [figure, unit, values] of [
    [`${name}_${what.many}_per_second`, `${what.many}/s`, runs.map((run) => run.perSecond)],
    [`${name}_latency_p99`, 'ms', runs.map((run) => run.p99Ms)],
    [`${name}_cpu_per_${what.one}`, 'CPU ms', runs.map((run) => run.cpuMs)],
  ] as const) {
    const context = { serverBusy: median(runs.map((run) => run.busy)) }
    report({ figure, unit, runs: values, context })
  }
}
