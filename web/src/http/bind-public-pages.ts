import { hash } from 'node:crypto'
import { matchesEtag } from '@probe-mesh/contracts/schema/if-none-match'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PublicOutcome, PublicRoute } from '../pages/public-route.ts'
import { accentStyle } from '../style/accent-style.ts'
import { assets } from './assets.ts'
import { sendOutcome } from './bind-pages.ts'
import { sendProblem } from './failures-as-pages.ts'
import { acceptAnything, formOf, formsOnly, routeForms } from './form-body.ts'
import { confirmedTag, tagOf } from '../pages/page-validator.ts'
import { queryOf } from './query-of.ts'
import { isMarkdown } from './readers.ts'
import { asMarkdown, policyOf, sendPage } from './send-page.ts'
import { askPublicFor, type Inject } from './visit.ts'

/** The same as for the other forms of a status page. */
const usualMaxAgeSeconds = 10
/** For public forms: a few short fields. */
const publicFormBytesMax = 8 * 1024

/**
 * Pages that are the same for every visitor, and public forms. They read and set no cookie. Caches may keep a
 * page briefly.
 */
export const bindPublicPages = (
  scope: FastifyInstance,
  inject: Inject,
  routes: readonly PublicRoute[],
): void => {
  routeForms(scope)
  const isAnything = ({ takes }: PublicRoute): boolean => takes === 'anything'
  for (const route of routes.filter((each) => !isAnything(each))) bindPublicPage(scope, inject, route)
  void scope.register(async (inner) => {
    acceptAnything(inner)
    for (const route of routes.filter(isAnything)) bindPublicPage(inner, inject, route)
  })
  bindAccents(scope)
}

const bindPublicPage = (
  scope: FastifyInstance,
  inject: Inject,
  { method = 'GET', path, takes, serve }: PublicRoute,
): void => {
  scope.route({
    method,
    url: path,
    bodyLimit: publicFormBytesMax,
    ...(takes === 'form_beside_json' ? { constraints: formsOnly } : {}),
    handler: async (request, reply) => {
      const outcome = await serve({
        params: request.params as Record<string, string>,
        query: queryOf(request),
        form: formOf(request.body),
        askPublic: askPublicFor(inject, request),
        assets,
      })
      return send(request, reply, outcome)
    },
  })
}

const send = (request: FastifyRequest, reply: FastifyReply, outcome: PublicOutcome): FastifyReply => {
  if (outcome.kind === 'plain' || outcome.kind === 'elsewhere') return sendOutcome(reply, outcome, null)
  if (outcome.kind === 'refused') {
    if (!isMarkdown(request)) return sendOutcome(reply, outcome, null)
    const { problem, retryAfter } = outcome
    if (retryAfter !== null) reply.header('retry-after', retryAfter)
    return sendProblem(reply, problem)
  }
  const { status = 200 } = outcome
  const isKept = status === 200 && request.method !== 'POST'
  const caching = isKept ? cachingOf(outcome) : 'no-store'
  if (isKept && isConfirmed(request, reply, outcome)) {
    return reply.header('cache-control', caching).code(304).send()
  }
  reply.code(status)
  if (outcome.form === 'markdown') return asMarkdown(reply, caching).send(outcome.text)
  const { text, imageOrigin } = outcome
  return sendPage(reply, text, { cacheControl: caching, policy: policyOf({ imageOrigin }) })
}

type Kept = Extract<PublicOutcome, { kind: 'public' }>

const cachingOf = ({ maxAgeSeconds = usualMaxAgeSeconds }: Kept): string =>
  maxAgeSeconds === 0 ? 'public, no-cache' : `public, max-age=${maxAgeSeconds}`

/** Tags an answer. @returns whether the client already has the page */
const isConfirmed = (request: FastifyRequest, reply: FastifyReply, { text, validator }: Kept): boolean => {
  const known = request.headers['if-none-match']
  if (validator === undefined) {
    const etag = `"${hash('sha256', text, 'base64url').slice(0, 22)}"`
    reply.header('etag', etag)
    return matchesEtag(known, etag)
  }
  const confirmed = confirmedTag(known, validator)
  // a cached copy keeps its tag, and with it the time until which it is confirmed
  reply.header('etag', confirmed ?? tagOf(validator)).header('as-of', validator.asOf)
  return confirmed !== null
}

/** A style sheet for every colour. Its name determines its content, so caches may keep it forever. */
const bindAccents = (scope: FastifyInstance): void => {
  scope.get('/assets/accent/:name', (request, reply) => {
    const { name } = request.params as { name: string }
    const accent = /^([0-9a-f]{6})\.css$/.exec(name)?.[1]
    if (accent === undefined) return reply.callNotFound()
    return reply
      .header('content-type', 'text/css; charset=utf-8')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .send(accentStyle(`#${accent}`))
  })
}
