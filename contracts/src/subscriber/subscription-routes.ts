import { z } from 'zod'
import { SubscribeInput, SubscriptionAnswer } from './subscriber.ts'

/** What somebody is subscribed to: a whole page, or one of its components. */
export const SubscriptionTo = z.object({
  pageName: z.string(),
  /** null: the whole page. */
  componentName: z.string().nullable(),
})
export type SubscriptionTo = z.infer<typeof SubscriptionTo>

/** As a mailed link has it; whether it is one of ours is no question of form. */
const Sent = z.object({ token: z.string() })

/**
 * What readers of a status page do about its mail: no key and no cookie, since a mailed token stands
 * for itself. Reading uses none up. A token that is not ours, or no longer, is SV-3001. Below the
 * public URL, as the pages that ask it.
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
    /** null: it was ended already. */
    output: z.object({ subscription: SubscriptionTo.nullable() }),
  },
  endSubscription: {
    method: 'POST',
    path: '/subscriptions/unsubscribe.json',
    body: Sent,
    output: z.object({ unsubscribed: z.literal(true) }),
  },
} as const
