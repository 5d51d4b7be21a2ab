import type { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import type {
  Subscriber,
  SubscriberCount,
  SubscriptionMails,
} from '@probe-mesh/contracts/subscriber/subscriber'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { exactTime, named, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { subscriptionsOf, subscriptionsText } from './subscriptions-text.ts'

export type ShownSubscribers = {
  subscribers: readonly Subscriber[]
  counts: readonly SubscriberCount[]
  mailsToday: SubscriptionMails
  pages: readonly StatusPage[]
  /** Of the pages that are named in the list. */
  components: readonly Component[]
  /** Of this page only; null: of all. */
  only: string | null
  /** Where the list goes on; null at its end. */
  next: string | null
}

const confirmed = tag({ tone: 'good', text: 'confirmed' })
const waiting = tag({ tone: 'silent', text: 'not confirmed' })

/** What somebody subscribed to: a page, or one component of it. */
export const subscribedText = (
  { statusPageId, componentId }: Pick<Subscriber, 'statusPageId' | 'componentId'>,
  { pages, components }: Pick<ShownSubscribers, 'pages' | 'components'>,
): Html => {
  const page = pages.find(({ id }) => id === statusPageId)?.name ?? statusPageId
  if (componentId === null) return html`${named(page)}, the whole page`
  const name = components.find(({ id }) => id === componentId)?.displayName ?? componentId
  return html`${named(page)}: ${named(name)}`
}

/** Who gets mail of which page, with numbers, in parts. */
export const subscribersPage = (shown: ShownSubscribers): Html => {
  const { subscribers, counts, mailsToday, pages, only, next } = shown
  return html`
    <p>
      Whoever asks for mail on a public page gets a link first, and nothing else until it was used. One that
      is not used within 24 hours is forgotten.
    </p>
    ${
      mailsToday.notSent.length > 0 &&
      table(
        'Confirmation mails not sent today (UTC)',
        [
          { heading: 'Reason', cell: ({ reason }) => reason },
          { heading: 'Mails', cell: ({ count }) => count },
        ],
        mailsToday.notSent,
      )
    }
    ${table(
      'Subscriptions by page',
      [
        {
          heading: 'Page',
          cell: ({ id, name }) => html`<a href="/dashboard/subscribers?page=${id}">${named(name)}</a>`,
        },
        {
          heading: 'Subscriptions',
          cell: ({ id }) => subscriptionsText(subscriptionsOf(counts, id)),
        },
      ],
      pages,
    )}
    <h2>
      ${only === null ? 'All subscriptions' : html`Subscriptions to ${named(pages.find(({ id }) => id === only)?.name ?? 'this page')}`}
    </h2>
    ${only !== null && html`<p><a href="/dashboard/subscribers">Those of all pages</a></p>`}
    ${
      subscribers.length === 0
        ? html`<p>There are none${next === null ? '' : ' here'}.</p>`
        : table(
            'Subscriptions, newest first',
            [
              { heading: 'Address', cell: ({ email }) => html`<bdi>${email}</bdi>` },
              { heading: 'Subscribed to', cell: (each) => subscribedText(each, shown) },
              {
                heading: 'Confirmed',
                cell: ({ confirmedAt, confirmBefore }) =>
                  confirmedAt === null
                    ? html`${waiting} forgotten at ${exactTime(confirmBefore)}`
                    : html`${confirmed} ${time(confirmedAt)}`,
              },
              { heading: 'Asked', cell: ({ createdAt }) => time(createdAt) },
              {
                heading: 'Act',
                cell: ({ id, email }) =>
                  html`<a href="/dashboard/subscribers/${id}/remove"
                    >Remove<span class="unseen"> ${email}</span></a
                  >`,
              },
            ],
            subscribers,
          )
    }
    ${next !== null && html`<p><a href="${next}">Older ones</a></p>`}
  `
}

export const removePage = (
  subscriber: Subscriber,
  things: Pick<ShownSubscribers, 'pages' | 'components'>,
): Html => html`
  <p>
    <bdi>${subscriber.email}</bdi> gets no more mail by its subscription to
    ${subscribedText(subscriber, things)}. It is not told, keeps its other subscriptions, and may ask again.
    You cannot subscribe it yourself: only a link mailed to the address does.
  </p>
  <form method="post" action="/dashboard/subscribers/${subscriber.id}/remove">
    <p class="actions">
      <button class="danger" type="submit">Remove the subscription</button>
      <a href="/dashboard/subscribers">Keep it</a>
    </p>
  </form>
`
