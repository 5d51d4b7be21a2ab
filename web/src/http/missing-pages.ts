import { refusals } from '@probe-mesh/contracts/schema/refusal'
import type { FastifyInstance } from 'fastify'
import { plainPage } from '../html/plain-page.ts'
import { missingPage } from '../pages/missing-page.ts'
import { assets } from './assets.ts'
import { sendOutcome } from './bind-pages.ts'
import { isForPeople } from './readers.ts'
import { sendPage } from './send-page.ts'
import { askFor, type Inject } from './visit.ts'

/** A page with links for an unknown address; programs get the usual problem. */
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
          { who: session.value, request, counts: {} },
        )
      : sendOutcome(reply, { kind: 'plain', title, status, main: missingPage }, null)
  })
}
