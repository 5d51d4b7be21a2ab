import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { cheapHistogram } from '@probe-mesh/runtime/metrics'
import { Counter, type Registry } from 'prom-client'

/**
 * Counts and times every request by the pattern of its route, never by its path. Each route gets a hook with its
 * label, because reading the route of a request costs more than a cached answer.
 */
export const measureRequests = (app: FastifyInstance, registry: Registry): void => {
  const registers = [registry]
  const counts = new Map<string, Map<number, number>>()
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered, by route and status',
    labelNames: ['route', 'status'] as const,
    registers,
    collect() {
      requests.reset()
      for (const [route, statuses] of counts) {
        for (const [status, count] of statuses) requests.inc({ route, status }, count)
      }
    },
  })
  const seconds = cheapHistogram(registry, {
    name: 'http_request_seconds',
    help: 'Time from the request to its answer, by route',
    label: 'route',
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
  })

  const countOf = (route: string): ((reply: FastifyReply) => void) => {
    const statuses = counts.get(route) ?? new Map<number, number>()
    counts.set(route, statuses)
    const observe = seconds(route)
    return (reply) => {
      const { statusCode } = reply
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
      observe(reply.elapsedTime / 1000)
    }
  }

  const countUnknown = countOf('unknown')
  app.addHook('onResponse', (request, reply, done) => {
    if (request.is404) countUnknown(reply)
    done()
  })
  app.addHook('onRoute', (route) => {
    const count = countOf(`${[route.method].flat().join(',')} ${route.url}`)
    const hook = (_request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
      count(reply)
      done()
    }
    route.onResponse = [...[route.onResponse ?? []].flat(), hook]
  })
}
