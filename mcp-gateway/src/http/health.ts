import { gatewayRefused } from '@probe-mesh/contracts/outage/gateway'
import { createMetricsPage } from '@probe-mesh/runtime/metrics-page'
import { createForwardingWatch } from '@probe-mesh/runtime/forwarded'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { UpstreamReadiness, ControlPlane } from '../upstream/control-plane.ts'

/** The text of `/readyz` about the control plane; doctor reads it. */
const said: Readonly<Record<UpstreamReadiness, string>> = {
  ready: 'ok',
  unavailable: 'it does not answer',
  refused: gatewayRefused,
}

/** `/healthz`: the gateway runs. `/readyz`: a control plane that trusts it answers. `/metrics`. */
export const bindHealth = (
  app: FastifyInstance,
  capabilities: {
    readiness: () => Promise<UpstreamReadiness>
    registry: Registry
    /** The token for `/metrics`; null: only this machine may read them. */
    metricsToken: string | null
    now: () => number
  },
): void => {
  const { readiness, registry, metricsToken, now } = capabilities
  const metrics = createMetricsPage({ registry, token: metricsToken, now })
  const forwardingOf = createForwardingWatch(registry, now)
  app.addHook('onRequest', (request, _reply, done) => {
    forwardingOf(request)
    done()
  })
  app.get('/healthz', (request) => ({ status: 'ok', proxy: forwardingOf(request) }))
  app.get('/readyz', async (_request, reply) => {
    const state = await readiness()
    const ready = state === 'ready'
    return reply.code(ready ? 200 : 503).send({ ready, checks: { controlPlane: said[state] } })
  })
  app.get('/metrics', async ({ raw: { socket, headers } }, reply) => {
    const answer = await metrics({ remoteAddress: socket.remoteAddress, headers })
    return reply.code(answer.status).headers(answer.headers).send(answer.body)
  })
}

/** Checks whether the control plane trusts this gateway, and logs one line when that changes. */
export const createHandshake = (
  controlPlane: Pick<ControlPlane, 'readiness'>,
  log: Logger,
): (() => Promise<UpstreamReadiness>) => {
  let isRefused = false
  return async () => {
    const state = await controlPlane.readiness()
    if (state === 'refused' && !isRefused) {
      log.error({}, 'the control plane refuses this gateway: it has another GATEWAY_KEY')
      isRefused = true
    } else if (state === 'ready' && isRefused) {
      log.info({}, 'the control plane trusts this gateway again')
      isRefused = false
    }
    return state
  }
}
