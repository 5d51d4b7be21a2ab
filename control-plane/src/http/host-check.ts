import { refuse } from '@probe-mesh/contracts/schema/refusal'
import { createHostRule } from '@probe-mesh/runtime/allowed-hosts'
import type { FastifyRequest } from 'fastify'
import type { AdmitRequest } from './admit-requests.ts'
import { isFromGateway } from './gateway-trust.ts'
import { sendRefusal } from './send-refusal.ts'

/** Routes that accept any host name: health checks, and pings and error events, which any origin may send. */
const openRoutes = /^\/(?:healthz|readyz|ping\/.*|api\/:number\/(?:envelope|store)\/?)$/

/**
 * Refuses requests for unknown host names (SV-3006), against DNS rebinding by pages of other sites. Such a page is
 * never a trusted gateway and has no token for `/metrics`.
 */
export const checkHost = (allowed: readonly string[]): AdmitRequest => {
  const isAllowed = createHostRule(allowed)
  return (request, reply) => {
    if (isAllowed(request.headers.host, request.socket) || isOpen(request)) return true
    sendRefusal(reply, refuse('SV-3006'))
    return false
  }
}

const isOpen = (request: FastifyRequest): boolean => {
  const { url: route = '' } = request.routeOptions
  if (route === '/metrics') return request.headers.authorization !== undefined
  return isFromGateway(request) || openRoutes.test(route)
}
