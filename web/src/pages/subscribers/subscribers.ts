import type { Subscriber } from '@probe-mesh/contracts/subscriber/subscriber'
import type { Ask, Asked } from '../../api/ask.ts'
import { refused } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import { removePage, subscribersPage, type ShownSubscribers } from './subscribers-page.ts'

const area = 'subscribers'
const rowsPerPart = 100

/** The pages of the account, and the components that occur in subscriptions. */
const namesFor = async (
  ask: Ask,
  subscribers: readonly Subscriber[],
): Promise<Asked<Pick<ShownSubscribers, 'pages' | 'components'>>> => {
  const inPart = subscribers.filter(({ componentId }) => componentId !== null)
  const ids = [...new Set(inPart.map(({ statusPageId }) => statusPageId))]
  const [pages, ...published] = await Promise.all([
    ask('listStatusPages', {}),
    ...ids.map((id) => ask('listComponents', { params: { id } })),
  ])
  if (!pages.ok) return pages
  // a page that was deleted in the meantime has no names
  const components = published.flatMap((answer) => (answer.ok ? answer.value.components : []))
  return { ok: true, value: { pages: pages.value.statusPages, components } }
}

const pathOf = (query: Readonly<Record<string, string>>): string =>
  `/dashboard/subscribers?${new URLSearchParams(query).toString()}`

/** The subscribers of pages: listed page by page, removed after a confirmation. */
export const subscriberRoutes: readonly MemberRoute[] = [
  get('/dashboard/subscribers', async ({ ask, query }) => {
    const [only, before] = [query.get('page'), query.get('before')]
    const page = only === null ? {} : { page: only }
    const answer = await ask('listSubscribers', {
      query: {
        limit: rowsPerPart,
        ...(only !== null && { statusPageId: only }),
        ...(before !== null && { before }),
      },
    })
    if (!answer.ok) return refused(answer)
    const { subscribers, counts, mailsToday } = answer.value
    const names = await namesFor(ask, subscribers)
    if (!names.ok) return refused(names)
    const last = subscribers.length === rowsPerPart ? subscribers.at(-1) : undefined
    const next = last === undefined ? null : pathOf({ ...page, before: last.id })
    const main = subscribersPage({ ...names.value, subscribers, counts, mailsToday, only, next })
    const about = 'Who gets e-mail about status pages.'
    return { kind: 'page', title: 'Subscribers', area, about, main }
  }),
  get('/dashboard/subscribers/:id/remove', async ({ ask, params }) => {
    const answer = await ask('getSubscriber', { params: { id: params['id'] ?? '' } })
    if (!answer.ok) return refused(answer)
    const names = await namesFor(ask, [answer.value])
    if (!names.ok) return refused(names)
    const main = removePage(answer.value, names.value)
    return { kind: 'page', title: 'Remove this subscriber?', area, main }
  }),
  post('/dashboard/subscribers/:id/remove', async ({ ask, params }) => {
    const answer = await ask('removeSubscriber', { params: { id: params['id'] ?? '' } })
    return answer.ok
      ? { kind: 'elsewhere', path: '/dashboard/subscribers', done: 'subscriber-removed' }
      : refused(answer)
  }),
]
