import { refuse } from '@probe-mesh/contracts/schema/refusal'
import { routes } from '@probe-mesh/contracts/api/routes'
import type { Route } from '@probe-mesh/contracts/api/routes'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendRefusal } from './send-refusal.ts'

/** Where a client says what it is: `<name>/<version>`. */
export const clientHeader = 'service-client'

/** Whether a request says that it comes from the one client that a route is for. Pure. */
export const isFromClient = (route: Pick<Route, 'client'>, header: unknown): boolean => {
  if (route.client === undefined) return true
  if (typeof header !== 'string') return false
  const [name, version, ...more] = header.split('/')
  return name === route.client && /^[0-9A-Za-z][\w.+-]*$/.test(version ?? '') && more.length === 0
}

/**
 * Status pages are read-only over REST but for the Terraform provider (S-1703): else SV-3005, which says what
 * to use instead. It stands behind the gate, so that the key, the tier, the scope and the budget come first,
 * and before the body is read.
 */
export const clientHook = (route: Route) => {
  const allow = openMethods(route.path).join(', ')
  const refusal = refuse('SV-3005', {
    message:
      'Status pages and their components are read-only through the REST API. ' +
      'Change them with the Terraform provider probe-mesh/service; ' +
      'what it shows can be read here.',
  })
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (isFromClient(route, request.headers[clientHeader])) done()
    else sendRefusal(reply.header('allow', allow), refusal)
  }
}

/** What any client may do at a path; RFC 9110 15.5.6: a 405 names it. */
const openMethods = (path: string): string[] =>
  Object.values<Route>(routes)
    .filter((route) => route.path === path && route.client === undefined)
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
