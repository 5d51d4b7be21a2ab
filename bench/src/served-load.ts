import type { Child } from './child.ts'
import { runLoad } from './load.ts'
import type { Usage } from './usage.ts'

/** One window of load, and what it took of the server. */
export type Run = { requestsPerSecond: number; cpuMs: number; busy: number; latencyP99Ms: number }

/**
 * Asks one URL of a server over and over. The server is a process of ours that answers
 * `{ kind: 'usage' }`.
 * @throws where an answer was not 200
 */
export const loadServer = async (
  server: Child,
  options: Parameters<typeof runLoad>[0],
): Promise<Run> => {
  const usage = () => server.ask<Usage>({ kind: 'usage' })
  const before = await usage()
  const result = await runLoad(options)
  const after = await usage()
  if (result.errors > 0) throw new Error(`${result.errors} requests were not answered with 200`)
  const cpuSeconds = after.cpuSeconds - before.cpuSeconds
  return {
    requestsPerSecond: result.requests / result.seconds,
    cpuMs: (cpuSeconds / result.requests) * 1_000,
    busy: cpuSeconds / result.seconds,
    latencyP99Ms: result.latencyP99Ms,
  }
}
