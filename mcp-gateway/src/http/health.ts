import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'

/** `/healthz`: it runs. `/readyz`: so does a control plane to ask. `/metrics`. */
export const bindHealth = (
  app: FastifyInstance,
  { isReady, registry }: { isReady: () => Promise<boolean>; registry: Registry },
): void => {
  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const ready = await isReady()
    return reply
      .code(ready ? 200 : 503)
      .send({ ready, checks: { controlPlane: ready ? 'ok' : 'it does not answer' } })
  })
  app.get('/metrics', async (_request, reply) =>
    reply.header('content-type', registry.contentType).send(await registry.metrics()),
  )
}
