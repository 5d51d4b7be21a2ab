import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendRefusal } from './send-refusal.ts'

/**
 * Answers requests that no route takes: SV-3007 with the methods of the path if another method works there
 * (RFC 9110 15.5.6), else SV-3001. Bind it before the routes.
 */
export const refuseUnknownRoutes = (app: FastifyInstance): void => {
  const methods = new Map<string, { pattern: RegExp; known: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    // a wildcard catches every path, also those where nothing is
    if (url.includes('*')) return
    const entry = methods.get(url) ?? { pattern: patternOf(url), known: new Set<string>() }
    methods.set(url, entry)
    for (const each of [method].flat()) entry.known.add(each)
  })
  const methodsAt = (path: string): string[] => [
    ...new Set([...methods.values()].flatMap(({ pattern, known }) => (pattern.test(path) ? [...known] : []))),
  ]
  app.setNotFoundHandler((request, reply) => {
    const allowed = methodsAt(pathOf(request)).filter((method) => method !== request.method)
    if (allowed.length === 0) return sendRefusal(reply, refuse('SV-3001'))
    const allow = allowed.toSorted().join(', ')
    const message = `${request.method} is not possible here. Use ${allow}.`
    return sendRefusal(reply.header('allow', allow), refuse('SV-3007', { message }))
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode === 405) allowOthers(request, reply, methodsAt)
    done(null, payload)
  })
}

/** A route that refuses its own method, as for a resource that is read-only through REST. */
const allowOthers = (
  request: FastifyRequest,
  reply: FastifyReply,
  methodsAt: (path: string) => string[],
): void => {
  if (reply.hasHeader('allow')) return
  const others = methodsAt(pathOf(request)).filter((method) => method !== request.method)
  reply.header('allow', others.toSorted().join(', '))
}

const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? url

/** The paths of a route: each parameter stands for one or more characters other than a slash. */
const patternOf = (url: string): RegExp =>
  // linear: slashes end each parameter
  new RegExp(
    `^${url
      .split(/(:\w+(?:\([^)]*\))?)/)
      .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)))
      .join('')}$`,
  )
