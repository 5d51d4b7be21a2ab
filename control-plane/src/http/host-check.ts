import { refuse } from '@probe-mesh/contracts/schema/refusal'
import { isAllowedHost } from '@probe-mesh/runtime/allowed-hosts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isFromGateway } from './gateway-trust.ts'
import { sendRefusal } from './send-refusal.ts'

/** Routes that accept any host name: health checks, and pings and error events, which any origin may send. */
const openRoutes = /^\/(?:healthz|readyz|ping\/.*|api\/:number\/(?:envelope|store)\/?)$/

/**
 * Refuses requests for unknown host names (SV-3006), against DNS rebinding by pages of other sites. Such a page is
 * never a trusted gateway and has no token for `/metrics`.
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
