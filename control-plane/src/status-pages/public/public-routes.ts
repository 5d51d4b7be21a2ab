import type { FastifyInstance } from 'fastify'
import { Counter, type Registry } from 'prom-client'
import type { PublicContext } from '../../subscribers/context.ts'
import type { DocumentContext } from './read-page-document.ts'
import { createAddressRate } from '../../http/address-rate.ts'
import { bindPublicDocuments } from './public-documents.ts'
import { bindPublicLogos } from './public-logos.ts'
import { bindPublicPages } from './public-pages.ts'
import { bindSubscriptions } from './public-subscriptions.ts'

/** Subscription requests of one client address in a minute. */
const subscriptionsPerMinute = 5

/** Routes that change what a status page shows. */
const publishing = /^\/(?:v1|dashboard-api)\/(?:status-pages|incidents|maintenance|checks\/bulk)/

/** Binds the public routes below `/status` and `/subscriptions`. */
export const bindPublicRoutes = (
  app: FastifyInstance,
  capabilities: Omit<PublicContext, 'onSubscription'> & DocumentContext & { registry: Registry },
): void => {
  const { registry, ...context } = capabilities
  const requests = new Counter({
    name: 'subscriptions_asked_total',
    help: "Subscription requests for a page's mail, by outcome; only asked sends a mail",
    labelNames: ['outcome'] as const,
    registers: [registry],
  })
  const caches = [
    bindPublicPages(app, context),
    bindPublicDocuments(app, context),
    bindPublicLogos(app, context),
  ]
  // after a write its author sees the new content, not a cached one
  app.addHook('onSend', ({ method, url }, reply, payload, done) => {
    if (method !== 'GET' && reply.statusCode < 300 && publishing.test(url)) {
      for (const { clear } of caches) clear()
    }
    done(null, payload)
  })
  bindSubscriptions(app, {
    context: { ...context, onSubscription: (outcome) => requests.inc({ outcome }) },
    rate: createAddressRate({ now: context.now, limit: subscriptionsPerMinute, windowMs: 60_000 }),
    onRateLimited: () => requests.inc({ outcome: 'client_limit' }),
  })
}
