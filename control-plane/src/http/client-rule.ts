import { refuse } from '@probe-mesh/contracts/schema/refusal'
import { routes, type Route } from '@probe-mesh/contracts/api/routes'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendRefusal } from './send-refusal.ts'

/** The header with the name of a client: `<name>/<version>`. */
const clientHeader = 'service-client'

/** Whether the header names the only client that may call a route. */
export const isFromClient = (route: Pick<Route, 'client'>, header: unknown): boolean => {
  if (route.client === undefined) return true
  if (typeof header !== 'string') return false
  const [name, version, ...more] = header.split('/')
  return name === route.client && /^[0-9A-Za-z][\w.+-]*$/.test(version ?? '') && more.length === 0
}

/**
 * SV-3005 for clients other than the Terraform provider: status pages are read-only over REST (S-1703). Runs after
 * the gate, so that key, plan, scope and budget come first, and before the body is read.
 */
export const clientHook = (route: Route) => {
  const allow = openMethods(route.path).join(', ')
  const refusal = refuse('SV-3005', {
    message:
      'Status pages and their components are read-only through the REST API. ' +
      'Change them with the Terraform provider probe-mesh/service.',
  })
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (isFromClient(route, request.headers[clientHeader])) done()
    else sendRefusal(reply.header('allow', allow), refusal)
  }
}

/** The methods that any client may use on a path, which a 405 must list (RFC 9110 15.5.6). */
const openMethods = (path: string): string[] =>
  Object.values<Route>(routes)
    .filter((route) => route.path === path && route.client === undefined)
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
