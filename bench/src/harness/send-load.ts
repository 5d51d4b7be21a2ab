import autocannon from 'autocannon'
import { percentile } from './statistics.ts'

/** A request: GET, or POST where there is a body. */
export type LoadRequest = {
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
}

/** How much one window of load sends: for some seconds, or so many requests. */
export type Amount = { seconds: number } | { requests: number }

/** What one window of load showed. */
export type LoadAnswer = {
  requests: number
  /** Responses without status 200, and connections that failed. */
  errors: number
  seconds: number
  p99Ms: number
}

/** How often autocannon compares the clock: a window lasts at most this much longer than asked for. */
const sampleMs = 100

/** Sends requests over every connection, each as soon as the one before is answered. */
export const sendLoad = async (
  { port, connections, ...amount }: { port: number; connections: number } & Amount,
  next: () => LoadRequest,
): Promise<LoadAnswer> => {
  const latencies: number[] = []
  let refused = 0
  const startedAt = performance.now()
  const { errors } = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    ...('seconds' in amount ? { duration: amount.seconds } : { amount: amount.requests }),
    sampleInt: sampleMs,
    // the percentiles of the result are whole milliseconds
    setupClient: (client) =>
      client.on('response', (status, _bytes, ms) => {
        latencies.push(ms)
        if (status !== 200) refused += 1
      }),
    requests: [
      {
        setupRequest: (request) => {
          const { path, headers = {}, body } = next()
          const method = body === undefined ? 'GET' : 'POST'
          return { ...request, method, path, headers: { ...headers }, body }
        },
      },
    ],
  })
  return {
    requests: latencies.length,
    errors: errors + refused,
    seconds: (performance.now() - startedAt) / 1_000,
    p99Ms: percentile(latencies, 0.99),
  }
}
