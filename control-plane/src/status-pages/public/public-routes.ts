import type { FastifyInstance } from 'fastify'
import { Counter } from 'prom-client'
import type { Registry } from 'prom-client'
import type { PublicContext } from '../../subscribers/context.ts'
import type { DocumentContext } from './read-page-document.ts'
import { createAddressRate } from '../../http/address-rate.ts'
import { bindPublicDocuments } from './public-documents.ts'
import { bindPublicPages } from './public-pages.ts'
import { bindSubscriptions } from './public-subscriptions.ts'

/** Subscriptions that one client address may ask for in a minute. */
const subscriptionsPerMinute = 5

/** What a status page shows is written here, by a key or by a session. */
const publishing = /^\/(?:v1|dashboard-api)\/(?:status-pages|incidents|maintenance)/

/** All that is open to everybody below `/status` and `/subscriptions`. */
export const bindPublicRoutes = (
  app: FastifyInstance,
  capabilities: Omit<PublicContext, 'onSubscription'> & DocumentContext & { registry: Registry },
): void => {
  const { registry, ...context } = capabilities
  const asked = new Counter({
    name: 'subscriptions_asked_total',
    help: "Requests for a page's mail, by what became of them; only asked sends a mail",
    labelNames: ['outcome'] as const,
    registers: [registry],
  })
  const remembered = [bindPublicPages(app, context), bindPublicDocuments(app, context)]
  // who published looks at the page next, and is not shown what was read before
  app.addHook('onSend', async ({ method, url }, reply) => {
    if (method === 'GET' || reply.statusCode >= 300 || !publishing.test(url)) return
    for (const { forget } of remembered) forget()
  })
  bindSubscriptions(app, {
    context: { ...context, onSubscription: (outcome) => asked.inc({ outcome }) },
    rate: createAddressRate({ now: context.now, limit: subscriptionsPerMinute, windowMs: 60_000 }),
    onRateLimited: () => asked.inc({ outcome: 'client_limit' }),
  })
}
