import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { regionHeader } from '@probe-mesh/contracts/agent/probe-identity'

/** The target's behaviour for one region: answer, answer late, fail, send a challenge, or hang. */
type Behaviour = 'ok' | 'slow' | 'fail' | 'challenge' | 'hang'

const slowMs = 300

/** A web site for tests that behaves per region and counts what reached it. */
export type Target = {
  url(path?: string): string
  /** For all regions, or the named ones. Only checks with `sendRegion` send their region. */
  behave(behaviour: Behaviour, regions?: readonly string[]): void
  /** Requests that arrived, by path. */
  hits(path?: string): number
  close(): Promise<void>
}

/** The region that a check with `sendRegion` sends; "unknown" for others. */
const regionOf = (request: IncomingMessage): string => String(request.headers[regionHeader] ?? 'unknown')

const answers: Record<Behaviour, (response: ServerResponse) => void> = {
  ok: (response) => {
    response.setHeader('content-type', 'application/json')
    response.end('{"status":"fine","items":[{"name":"first"}]}')
  },
  slow: (response) => void setTimeout(() => answers.ok(response), slowMs),
  fail: (response) => {
    response.statusCode = 503
    response.end('out of order')
  },
  challenge: (response) => {
    response.statusCode = 403
    response.setHeader('cf-mitigated', 'challenge')
    response.setHeader('server', 'cloudflare')
    response.end('<title>Just a moment...</title>')
  },
  hang: () => {},
}

export const startTarget = async (): Promise<Target> => {
  const hits = new Map<string, number>()
  const perRegion = new Map<string, Behaviour>()
  let everywhere: Behaviour = 'ok'
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://target').pathname
    hits.set(path, (hits.get(path) ?? 0) + 1)
    answers[perRegion.get(regionOf(request)) ?? everywhere](response)
  })
  server.keepAliveTimeout = 1_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: (path = '/') => `http://127.0.0.1:${port}${path}`,
    behave: (behaviour, regions) => {
      if (regions === undefined) {
        everywhere = behaviour
        perRegion.clear()
      }
      for (const region of regions ?? []) perRegion.set(region, behaviour)
    },
    hits: (path) =>
      path === undefined ? [...hits.values()].reduce((sum, count) => sum + count, 0) : (hits.get(path) ?? 0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
