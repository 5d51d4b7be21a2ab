import { percentile } from './statistics.ts'
import { openAsker } from './asker.ts'

/** What one window of load showed. */
export type LoadAnswer = {
  requests: number
  /** Responses without status 200. */
  errors: number
  seconds: number
  p50Ms: number
  p99Ms: number
}

/** Sends requests over every connection, each as soon as the one before is answered. */
export const sendLoad = async (
  { port, connections, seconds }: { port: number; connections: number; seconds: number },
  next: (connection: number) => Buffer,
): Promise<LoadAnswer> => {
  const askers = await Promise.all(Array.from({ length: connections }, () => openAsker(port)))
  const latencies: number[] = []
  let errors = 0
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1_000
  const awake = stayAwake()
  await Promise.all(
    askers.map(async (asker, connection) => {
      while (performance.now() < endsAt) {
        const sentAt = performance.now()
        if ((await asker.send(next(connection))) !== 200) errors += 1
        latencies.push(performance.now() - sentAt)
      }
      asker.close()
    }),
  )
  awake.close()
  return {
    requests: latencies.length,
    errors,
    seconds: (performance.now() - startedAt) / 1_000,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  }
}

/**
 * Polls for events without ever waiting. On a virtual machine a server spends tens of microseconds to wake
 * a sleeping client, and a slower server does so more often; neither belongs to its cost.
 */
const stayAwake = (): { close(): void } => {
  let open = true
  const turn = (): void => {
    if (open) setImmediate(turn)
  }
  turn()
  return {
    close: () => {
      open = false
    },
  }
}

/** A whole HTTP/1.1 request: GET, or POST where there is a body. */
export const requestBytes = (
  port: number,
  { path, headers = {}, body }: LoadRequest,
): Buffer<ArrayBuffer> =>
  Buffer.concat([
    Buffer.from(
      [
        `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${port}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
        '\r\n',
      ].join('\r\n'),
    ),
    Buffer.from(body ?? ''),
  ])

export type LoadRequest = {
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
}
