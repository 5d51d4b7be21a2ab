import { z } from 'zod'
import {
  Subscriber,
  SubscriptionMails,
  SubscriberCount,
  SubscriberParams,
  SubscribersQuery,
} from '../subscriber/subscriber.ts'
import type { Route } from '../schema/route.ts'

/** Of the dashboard's own table: what an account publishes, and to whom, beside the REST routes. */
export const publishingRoutes = {
  listSubscribers: {
    method: 'GET',
    path: '/subscribers',
    scope: 'read',
    budget: 'reads',
    summary: 'Who gets mail of which page or component, newest first, and how many of each page',
    success: 200,
    query: SubscribersQuery,
    output: z.object({
      subscribers: z.array(Subscriber),
      /** Of every page of the account that has any, whatever was asked for. */
      counts: z.array(SubscriberCount),
      mailsToday: SubscriptionMails,
    }),
  },
  getSubscriber: {
    method: 'GET',
    path: '/subscribers/:id',
    scope: 'read',
    budget: 'reads',
    summary: 'One subscription',
    success: 200,
    params: SubscriberParams,
    output: Subscriber,
  },
  removeSubscriber: {
    method: 'DELETE',
    path: '/subscribers/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Remove a subscription: no mail about the page goes to that address by it any more',
    success: 200,
    params: SubscriberParams,
    output: z.object({ id: z.string(), deleted: z.literal(true) }),
  },
} as const satisfies Record<string, Route>
