import { createMetricsPage } from '@probe-mesh/runtime/metrics-page'
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'

/** `/healthz`: it runs. `/readyz`: so does a control plane to ask. `/metrics`. */
export const bindHealth = (
  app: FastifyInstance,
  capabilities: {
    isReady: () => Promise<boolean>
    registry: Registry
    /** What readers of `/metrics` send; null: it answers this machine only. */
    metricsToken: string | null
    now: () => number
  },
): void => {
  const { isReady, registry, metricsToken, now } = capabilities
  const metrics = createMetricsPage({ registry, token: metricsToken, now })
  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const ready = await isReady()
    return reply
      .code(ready ? 200 : 503)
      .send({ ready, checks: { controlPlane: ready ? 'ok' : 'it does not answer' } })
  })
  app.get('/metrics', async ({ raw: { socket, headers } }, reply) => {
    const answer = await metrics({ remoteAddress: socket.remoteAddress, headers })
    return reply.code(answer.status).headers(answer.headers).send(answer.body)
  })
}
