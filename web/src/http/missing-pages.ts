import { Problem, refusals } from '@probe-mesh/contracts/refusal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { plainPage } from '../html/plain-page.ts'
import { missingPage, wayOn } from '../pages/missing-page.ts'
import { refusedPage } from '../pages/refused-page.ts'
import { html } from '../html/html.ts'
import { assets } from './assets.ts'
import { sendOutcome } from './bind-pages.ts'
import { ownPolicy, sendPage } from './send-page.ts'
import { askFor } from './visit.ts'
import type { Inject } from './visit.ts'

/** What programs ask: no page is there, whatever a browser would take. */
const forPrograms = /^\/(?:v1|dashboard-api|ping)(?:\/|$)/

const isForPeople = ({ url, headers }: FastifyRequest): boolean =>
  !forPrograms.test(url.split('?', 1)[0] ?? '') &&
  (headers.accept ?? '').toLowerCase().includes('text/html')

/** An address where nothing is, as a page with a way on; programs get the problem that they always get. */
export const bindMissingPages = (scope: FastifyInstance, inject: Inject): void => {
  scope.get('/*', async (request, reply) => {
    if (!isForPeople(request)) return reply.callNotFound()
    const { status, title } = refusals['SV-3001']
    if (!request.url.startsWith('/dashboard')) {
      return sendPage(reply.code(status), plainPage(assets, { title, main: missingPage }))
    }
    const session = await askFor(inject, request, reply)('getSession', {})
    return session.ok
      ? sendOutcome(
          reply,
          { kind: 'page', title, area: null, status, main: missingPage },
          session.value,
        )
      : sendOutcome(reply, { kind: 'plain', title, status, main: missingPage }, null)
  })
}

/**
 * A hook for `onSend`: what failed before or within a page is a page too, for who reads pages. Its
 * status and the other header fields stay as they are, and what is logged of it too.
 */
export const failuresAsPages = async (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> => {
  const type = String(reply.getHeader('content-type'))
  if (typeof payload !== 'string' || !type.startsWith('application/problem+json')) return payload
  const problem = isForPeople(request) ? problemIn(payload) : null
  if (problem === null) return payload
  const retryAfter = reply.getHeader('retry-after')
  reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', ownPolicy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'same-origin')
    .removeHeader('content-length')
  const said = refusedPage(problem, retryAfter === undefined ? null : String(retryAfter))
  return plainPage(assets, { title: problem.title, main: html`${said} ${wayOn}` })
}

const problemIn = (text: string): Problem | null => {
  const problem = Problem.safeParse(JSON.parse(text))
  return problem.success ? problem.data : null
}
