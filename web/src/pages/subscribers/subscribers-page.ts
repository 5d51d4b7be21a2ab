import type { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import type {
  Subscriber,
  SubscriberCount,
  SubscriptionMails,
} from '@probe-mesh/contracts/subscriber/subscriber'
import { confirmForm } from '../../html/components/confirm-form.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { exactTime, named, time } from '../../html/measures.ts'
import { card, emptyState, stats } from '../../html/components/card.ts'
import { chips } from '../../html/components/page-head.ts'
import { rowsTable } from '../../html/components/rows.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { subscriptionsOf } from './subscriptions-text.ts'

export type ShownSubscribers = {
  subscribers: readonly Subscriber[]
  counts: readonly SubscriberCount[]
  mailsToday: SubscriptionMails
  pages: readonly StatusPage[]
  /** Components of the pages in the list. */
  components: readonly Component[]
  /** Filters by page; null: all pages. */
  only: string | null
  /** Cursor of the next part; null at the end. */
  next: string | null
}

const confirmed = tag({ tone: 'good', text: 'Confirmed' })
const pending = tag({ tone: 'silent', text: 'Pending' })

/** The subject of a subscription: a page, or one component of it. */
const subscribedText = (
  { statusPageId, componentId }: Pick<Subscriber, 'statusPageId' | 'componentId'>,
  { pages, components }: Pick<ShownSubscribers, 'pages' | 'components'>,
): Html => {
  const page = pages.find(({ id }) => id === statusPageId)?.name ?? 'deleted page'
  if (componentId === null) return html`${named(page)}, the whole page`
  const name = components.find(({ id }) => id === componentId)?.displayName ?? 'deleted component'
  return html`${named(page)}: ${named(name)}`
}

/** The subscribers of all pages, with counts, page by page. */
export const subscribersPage = (shown: ShownSubscribers): Html => {
  const { subscribers, counts, mailsToday, pages, only, next } = shown
  const ofPage = only === null ? null : (pages.find(({ id }) => id === only)?.name ?? 'this page')
  const total = counts
    .filter(({ statusPageId }) => only === null || statusPageId === only)
    .reduce(
      (sum, each) => ({
        confirmed: sum.confirmed + each.confirmed,
        unconfirmed: sum.unconfirmed + each.unconfirmed,
      }),
      { confirmed: 0, unconfirmed: 0 },
    )
  const isEmpty = subscribers.length === 0 && only === null && next === null
  if (isEmpty && mailsToday.notSent.length === 0)
    return emptyState({
      icon: 'subscriber',
      title: 'No subscribers yet',
      text: 'Visitors of a status page subscribe there and confirm by e-mail.',
      action: { path: '/dashboard/pages', text: 'View status pages' },
    })
  return html`
    ${stats([
      { label: 'Confirmed', value: total.confirmed, note: 'get e-mail' },
      { label: 'Pending', value: total.unconfirmed, note: 'confirm within 24 hours' },
    ])}
    ${
      mailsToday.notSent.length > 0 &&
      card(
        { id: 'not-sent', title: 'Confirmation e-mails not sent today (UTC)' },
        table(
          'Confirmation e-mails not sent today (UTC)',
          [
            { heading: 'Reason', cell: ({ reason }) => reason },
            { heading: 'E-mails', cell: ({ count }) => count, isNumber: true },
          ],
          mailsToday.notSent,
        ),
      )
    }
    <div class="toolbar">
      ${chips('Subscribers by status page', [
        { path: '/dashboard/subscribers', text: 'All pages', isCurrent: only === null },
        ...pages.map(({ id, name }) => {
          const own = subscriptionsOf(counts, id)
          return {
            path: `/dashboard/subscribers?page=${id}`,
            text: named(name),
            count: own.confirmed + own.unconfirmed,
            isCurrent: id === only,
          }
        }),
      ])}
    </div>
    ${
      subscribers.length === 0
        ? html`<div class="empty">
            <p class="empty-title">
              ${ofPage === null ? 'No more subscribers' : html`No subscribers of ${named(ofPage)}`}
            </p>
            <p><a href="/dashboard/subscribers">Show all subscribers</a></p>
          </div>`
        : rowsTable(
            'Subscribers, newest first',
            [
              { heading: 'Address', cell: ({ email }) => html`<bdi>${email}</bdi>` },
              {
                heading: 'State',
                cell: ({ confirmedAt, confirmBefore }) =>
                  confirmedAt === null
                    ? html`${pending} <span class="target">expires ${exactTime(confirmBefore)}</span>`
                    : confirmed,
              },
              { heading: 'Subscribed to', cell: (each) => subscribedText(each, shown) },
              { heading: 'Since', cell: ({ createdAt }) => time(createdAt) },
              {
                heading: 'Actions',
                isActions: true,
                cell: ({ id, email }) =>
                  html`<a class="button" href="/dashboard/subscribers/${id}/remove" data-confirm
                    >Remove<span class="unseen"> ${email}</span></a
                  >`,
              },
            ],
            subscribers,
          )
    }
    ${next !== null && html`<p class="actions"><a href="${next}">Older</a></p>`}
  `
}

export const removePage = (
  subscriber: Subscriber,
  things: Pick<ShownSubscribers, 'pages' | 'components'>,
): Html =>
  html`<div data-dialog>
    <p>
      <bdi>${subscriber.email}</bdi> gets no more mail about ${subscribedText(subscriber, things)}. Other
      subscriptions stay. Only the owner of the address can subscribe again.
    </p>
    ${confirmForm({ action: `/dashboard/subscribers/${subscriber.id}/remove`, button: 'Remove subscriber', cancel: '/dashboard/subscribers' })}
  </div>`
