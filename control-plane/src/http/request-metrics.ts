import type { FastifyInstance } from 'fastify'
import { Counter, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'

/** Counts and times every request by the pattern of its route, never by its path. */
export const measureRequests = (app: FastifyInstance, registry: Registry): void => {
  const registers = [registry]
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered, by route and status',
    labelNames: ['route', 'status'] as const,
    registers,
  })
  const seconds = new Histogram({
    name: 'http_request_seconds',
    help: 'Time from the request to its answer, by route',
    labelNames: ['route'] as const,
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
    registers,
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = `${request.method} ${request.routeOptions.url ?? 'unknown'}`
    requests.inc({ route, status: reply.statusCode })
    seconds.observe({ route }, reply.elapsedTime / 1000)
    done()
  })
}
