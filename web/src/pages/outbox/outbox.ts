import { DeliveryState } from '@probe-mesh/contracts/channel/channel'
import { refused } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import { deliveriesShown, outboxPage } from './outbox-page.ts'

/** Messages and their delivery; without a mail server, mail is read here. */
export const outboxRoutes: readonly MemberRoute[] = [
  get('/dashboard/outbox', async ({ ask, query }) => {
    const asked = DeliveryState.safeParse(query.get('state'))
    const state = asked.success ? asked.data : null
    const before = query.get('before')
    // one more than shown, to know whether older ones exist
    const answer = await ask('listDeliveries', {
      query: {
        limit: deliveriesShown + 1,
        ...(state === null ? {} : { state }),
        ...(before === null ? {} : { before }),
      },
    })
    if (!answer.ok) return refused(answer)
    const main = outboxPage(answer.value.deliveries, { state, isFirst: before === null })
    const about = 'Alerts and e-mails of this account with their delivery state.'
    return { kind: 'page', title: 'Notifications', area: 'outbox', about, main }
  }),
  post('/dashboard/outbox/:id/retry', async ({ ask, params }) => {
    const answer = await ask('retryDelivery', { params: { id: params['id'] ?? '' } })
    return answer.ok
      ? { kind: 'elsewhere', path: '/dashboard/outbox', done: 'delivery-retried' }
      : refused(answer)
  }),
]
