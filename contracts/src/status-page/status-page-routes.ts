import { z } from 'zod'
import { field } from '../schema/field.ts'
import {
  ArrangeComponentsInput,
  Component,
  ComponentParams,
  CreateComponentInput,
  CreateStatusPageInput,
  StatusPage,
  StatusPageParams,
  UpdateComponentInput,
  UpdateStatusPageInput,
} from './status-page.ts'
import { pageIncidentRoutes } from '../incident/page-incidents.ts'
import { logoRoutes } from './logo.ts'
import { Deleted, Uuid } from '../schema/ids.ts'
import { NameFilter, nextCursor, pageParameters } from '../schema/list.ts'
import { read, write, type Route } from '../schema/route.ts'
import {
  Subscriber,
  SubscriptionMails,
  SubscriberCount,
  SubscriberParams,
  SubscribersQuery,
} from '../subscriber/subscriber.ts'

const StatusPages = z.object({
  statusPages: field(z.array(StatusPage), 'Status pages of the account.'),
  nextCursor,
})
const StatusPagesQuery = z.strictObject({
  ...pageParameters,
  name: field(NameFilter.optional(), 'Part of the name, in any case.', 'shop'),
  slug: field(NameFilter.optional(), 'Part of the address, in any case.', 'example'),
})
/** Only the Terraform provider may write status pages over REST (S-1703). */
const client = 'terraform-provider-service'

export const statusPageRoutes = {
  listStatusPages: read({
    path: '/status-pages',
    summary: "The account's status pages, with slug and path",
    query: StatusPagesQuery,
    output: StatusPages,
  }),
  listStatus: read({
    path: '/status',
    summary: 'Status pages of the account; an alias of GET /status-pages',
    query: StatusPagesQuery,
    output: StatusPages,
  }),
  createStatusPage: write({
    method: 'POST',
    path: '/status-pages',
    summary: 'Create a status page; only for the Terraform provider',
    success: 201,
    body: CreateStatusPageInput,
    output: StatusPage,
    location: '/status-pages/:$id',
    client,
    codes: ['SV-3002', 'SV-4001'],
  }),
  getStatusPage: read({
    path: '/status-pages/:id',
    summary: 'One status page',
    params: StatusPageParams,
    output: StatusPage,
  }),
  updateStatusPage: write({
    method: 'PATCH',
    path: '/status-pages/:id',
    summary: 'Change the settings of a status page; only for the Terraform provider',
    params: StatusPageParams,
    body: UpdateStatusPageInput,
    output: StatusPage,
    client,
    codes: ['SV-3002'],
  }),
  deleteStatusPage: write({
    method: 'DELETE',
    path: '/status-pages/:id',
    summary: "Delete a status page, except the account's last; only for the Terraform provider",
    params: StatusPageParams,
    output: Deleted,
    client,
    codes: ['SV-3002'],
  }),
  listComponents: read({
    path: '/status-pages/:id/components',
    summary: 'The components of a status page, in order',
    params: StatusPageParams,
    query: z.strictObject({
      ...pageParameters,
      checkId: field(Uuid.optional(), 'Only the component of this check.'),
    }),
    output: z.object({ components: field(z.array(Component), 'Published checks, in order.'), nextCursor }),
  }),
  createComponent: write({
    method: 'POST',
    path: '/status-pages/:id/components',
    summary: 'Publish a check on a status page; only for the Terraform provider',
    success: 201,
    params: StatusPageParams,
    body: CreateComponentInput,
    output: Component,
    location: '/status-pages/:id/components/:$id',
    client,
    codes: ['SV-3002'],
  }),
  getComponent: read({
    path: '/status-pages/:id/components/:componentId',
    summary: 'One published check',
    params: ComponentParams,
    output: Component,
  }),
  updateComponent: write({
    method: 'PATCH',
    path: '/status-pages/:id/components/:componentId',
    summary: 'Change the name or description of a published check; only for the Terraform provider',
    params: ComponentParams,
    body: UpdateComponentInput,
    output: Component,
    client,
  }),
  deleteComponent: write({
    method: 'DELETE',
    path: '/status-pages/:id/components/:componentId',
    summary: 'Unpublish a check, which continues to run; only for the Terraform provider',
    params: ComponentParams,
    output: Deleted,
    client,
  }),
} as const satisfies Record<string, Route>

/** Dashboard routes: order, incidents, logo and subscribers of the account's status pages. */
export const publishingRoutes = {
  ...pageIncidentRoutes,
  ...logoRoutes,
  arrangeComponents: write({
    method: 'PATCH',
    path: '/status-pages/:id/arrangement',
    summary:
      'Set order and groups of all components of a page; refused when its components changed meanwhile',
    params: StatusPageParams,
    body: ArrangeComponentsInput,
    bodyBytesMax: 256 * 1024,
    output: z.object({ components: z.array(Component) }),
    codes: ['SV-3001', 'SV-3002'],
  }),
  listSubscribers: read({
    path: '/subscribers',
    summary: 'Subscribers of pages and components, newest first, with the number per page',
    query: SubscribersQuery,
    output: z.object({
      subscribers: z.array(Subscriber),
      /** All pages of the account with subscribers, independent of the query. */
      counts: z.array(SubscriberCount),
      mailsToday: SubscriptionMails,
    }),
  }),
  getSubscriber: read({
    path: '/subscribers/:id',
    summary: 'One subscription',
    params: SubscriberParams,
    output: Subscriber,
  }),
  removeSubscriber: write({
    method: 'DELETE',
    path: '/subscribers/:id',
    summary: 'Delete a subscription; it sends no more mail',
    params: SubscriberParams,
    output: z.object({ id: z.string(), deleted: z.literal(true) }),
  }),
} as const satisfies Record<string, Route>
