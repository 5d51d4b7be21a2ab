import { z } from 'zod'
import { SubscribeInput, SubscriptionAnswer } from './subscriber.ts'

/** The subject of a subscription: a whole page, or one of its components. */
export const SubscriptionTo = z.object({
  pageName: z.string(),
  /** null for the whole page. */
  componentName: z.string().nullable(),
})
export type SubscriptionTo = z.infer<typeof SubscriptionTo>

/** The token of a mailed link. The operation checks whether it is valid. */
const Sent = z.object({ token: z.string() })

/**
 * Subscription routes for readers of a status page, below the public URL. They need no key and no cookie, since
 * the mailed token is the credential. Reading does not use it up. An invalid or expired token is SV-3001.
 */
export const subscriptionRoutes = {
  subscribe: {
    method: 'POST',
    path: '/status/:slug/subscribers',
    params: z.object({ slug: z.string() }),
    body: SubscribeInput,
    output: SubscriptionAnswer,
  },
  subscriptionToConfirm: {
    method: 'GET',
    path: '/subscriptions/confirm.json',
    query: Sent,
    output: SubscriptionTo,
  },
  confirmSubscription: {
    method: 'POST',
    path: '/subscriptions/confirm.json',
    body: Sent,
    output: SubscriptionTo,
  },
  subscriptionToEnd: {
    method: 'GET',
    path: '/subscriptions/unsubscribe.json',
    query: Sent,
    /** null when it has already ended. */
    output: z.object({ subscription: SubscriptionTo.nullable() }),
  },
  endSubscription: {
    method: 'POST',
    path: '/subscriptions/unsubscribe.json',
    body: Sent,
    output: z.object({ unsubscribed: z.literal(true) }),
  },
} as const
