import { refuse } from '@probe-mesh/contracts/schema/refusal'
import { isAllowedHost } from '@probe-mesh/runtime/allowed-hosts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isFromGateway } from './gateway-trust.ts'
import { sendRefusal } from './send-refusal.ts'

/**
 * Routes that programs ask under whatever name or address they know: probes of load balancers, and pings and
 * error events, which pages of every origin may send anyway.
 */
const openRoutes = /^\/(?:healthz|readyz|ping\/.*|api\/:number\/(?:envelope|store)\/?)$/

/**
 * Refuses requests for a host that is not ours (SV-3006): a page elsewhere that has its own name lead to this
 * machine must reach nothing here. No such page is a gateway that proves itself, or has a token for `/metrics`.
 */
export const checkHost = (app: FastifyInstance, allowed: readonly string[]): void => {
  app.addHook('onRequest', (request, reply, done) => {
    const { host } = request.headers
    if (isAllowedHost(host, allowed, request.socket.localAddress) || isOpen(request)) return done()
    sendRefusal(reply, refuse('SV-3006'))
  })
}

const isOpen = (request: FastifyRequest): boolean => {
  const { url: route = '' } = request.routeOptions
  if (route === '/metrics') return request.headers.authorization !== undefined
  return isFromGateway(request) || openRoutes.test(route)
}
