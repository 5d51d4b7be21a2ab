import type { Delivery, DeliveryState } from '@probe-mesh/contracts/channel/channel'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { emptyState } from '../../html/components/card.ts'
import { chips } from '../../html/components/page-head.ts'
import { rowsTable } from '../../html/components/rows.ts'
import { tag } from '../../html/components/tag.ts'
import { exactTime, named, time } from '../../html/measures.ts'
import { deliveryWords } from './delivery-words.ts'

export const deliveriesShown = 50

type Shown = { state: DeliveryState | null; isFirst: boolean }

/** @param deliveries newest first, one more than shown if older ones exist */
export const outboxPage = (deliveries: readonly Delivery[], { state, isFirst }: Shown): Html => {
  const shown = deliveries.slice(0, deliveriesShown)
  const last = deliveries.length > shown.length ? shown.at(-1) : undefined
  return html`
    <div class="toolbar">
      ${chips('Notifications by state', [
        { path: pathOf(null, null), text: 'All', isCurrent: state === null },
        ...(Object.keys(deliveryWords) as DeliveryState[]).map((each) => ({
          path: pathOf(each, null),
          text: deliveryWords[each].text,
          isCurrent: each === state,
        })),
      ])}
    </div>
    ${state === 'kept' && html`<p class="warned">This server has no mail server, so e-mail is kept here and not sent.</p>`}
    ${shown.length === 0 ? emptyOf({ state, isFirst }) : rowsTable('Notifications, newest first', columns, shown)}
    <p class="actions">
      ${!isFirst && html`<a href="${pathOf(state, null)}">Newest</a>`}
      ${last !== undefined && html`<a href="${pathOf(state, last.id)}">Older</a>`}
    </p>
  `
}

const emptyOf = ({ state, isFirst }: Shown): Html =>
  state === null && isFirst
    ? emptyState({
        icon: 'notification',
        title: 'No notifications yet',
        text: 'Alerts and e-mails of this account appear here with their delivery state.',
        action: { path: '/dashboard/rules', text: 'View alert rules' },
      })
    : html`<div class="empty">
        <p class="empty-title">${isFirst ? 'No notification in this state' : 'No older notifications'}</p>
        <p><a href="/dashboard/outbox">Show all notifications</a></p>
      </div>`

const pathOf = (state: DeliveryState | null, before: string | null): string => {
  const query = new URLSearchParams({
    ...(state === null ? {} : { state }),
    ...(before === null ? {} : { before }),
  }).toString()
  return query === '' ? '/dashboard/outbox' : `/dashboard/outbox?${query}`
}

const columns = [
  {
    heading: 'Message',
    cell: ({ subject, text, lastError }: Delivery): Piece =>
      html`<details class="message-fold">
          <summary><bdi>${subject}</bdi></summary>
          <pre class="message">${text}</pre>
        </details>
        ${lastError !== null && html`<span class="target">Last error: <bdi>${lastError}</bdi></span>`}`,
  },
  { heading: 'State', cell: (delivery: Delivery): Piece => stateOf(delivery) },
  { heading: 'To', cell: (delivery: Delivery): Piece => receiverOf(delivery) },
  { heading: 'Created', cell: ({ createdAt }: Delivery): Piece => time(createdAt) },
  {
    heading: 'Actions',
    isActions: true,
    cell: ({ id, state, subject }: Delivery): Piece =>
      (state === 'dead' || state === 'kept') &&
      html`<form method="post" action="/dashboard/outbox/${id}/retry">
        <button type="submit">Send again<span class="unseen">: ${subject}</span></button>
      </form>`,
  },
]

/** The state with the next attempt, or the number of attempts. */
const stateOf = ({ state, attempts, deliveredAt, nextAttemptAt, expiresAt }: Delivery): Html => {
  const tried = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const more: Piece =
    state === 'delivered'
      ? time(deliveredAt)
      : state === 'pending'
        ? html`${tried}${nextAttemptAt !== null && html`, next ${time(nextAttemptAt)}`}, expires
          ${exactTime(expiresAt)}`
        : tried
  return html`${tag(deliveryWords[state])} <span class="target">${more}</span>`
}

const receiverOf = (delivery: Delivery): Html =>
  delivery.kind === 'mail'
    ? named(delivery.recipient)
    : html`<a href="/dashboard/channels/${delivery.channelId}">${named(delivery.channelName)}</a>`
