import type { Delivery, DeliveryState } from '@probe-mesh/contracts/channel/channel'
import { attribute, html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { exactTime, named, time } from '../../html/measures.ts'
import { tag } from '../../html/components/tag.ts'
import type { Wording } from '../../html/components/tag.ts'

export const deliveriesShown = 50

const words: Readonly<Record<DeliveryState, Wording>> = {
  pending: { tone: 'uncertain', text: 'waiting' },
  delivered: { tone: 'good', text: 'delivered' },
  dead: { tone: 'bad', text: 'given up' },
  kept: { tone: 'silent', text: 'kept, not sent' },
}

type Shown = { state: DeliveryState | null; isFirst: boolean }

/** @param deliveries newest first, one more than is shown where there are older ones */
export const outboxPage = (deliveries: readonly Delivery[], { state, isFirst }: Shown): Html => {
  const shown = deliveries.slice(0, deliveriesShown)
  const last = deliveries.length > shown.length ? shown.at(-1) : undefined
  return html`
    <p>
      Every message of the account and what became of it, newest first. Mail that is kept was not sent,
      because this installation has no mail server: it is read here.
    </p>
    <nav aria-label="Messages by state">
      <p class="actions">
        ${stateLink(null, 'all', state)}
        ${(Object.keys(words) as DeliveryState[]).map((each) => stateLink(each, words[each].text, state))}
      </p>
    </nav>
    ${shown.length === 0 && html`<p>${isFirst ? 'There is no such message.' : 'There is no older message.'}</p>`}
    ${shown.map(deliveryOf)}
    ${
      last !== undefined &&
      html`<p class="actions"><a href="${pathOf(state, last.id)}">Older messages</a></p>`
    }
  `
}

const pathOf = (state: DeliveryState | null, before: string | null): string => {
  const query = new URLSearchParams({
    ...(state === null ? {} : { state }),
    ...(before === null ? {} : { before }),
  }).toString()
  return query === '' ? '/dashboard/outbox' : `/dashboard/outbox?${query}`
}

const stateLink = (to: DeliveryState | null, text: string, state: DeliveryState | null): Html =>
  html`<a href="${pathOf(to, null)}" ${attribute('aria-current', to === state ? 'true' : null)}>${text}</a> `

const deliveryOf = (delivery: Delivery): Html => {
  const { id, subject, text, state, attempts, lastError } = delivery
  return html`<section class="delivery" aria-labelledby="message-${id}">
    <h2 id="message-${id}"><bdi>${subject}</bdi></h2>
    <p>${tag(words[state])} to ${receiverOf(delivery)}, made ${time(delivery.createdAt)}</p>
    <ul>
      <li>Tries: ${attempts}</li>
      ${delivery.deliveredAt !== null && html`<li>Delivered: ${time(delivery.deliveredAt)}</li>`}
      ${delivery.nextAttemptAt !== null && html`<li>Next try: ${time(delivery.nextAttemptAt)}</li>`}
      ${state === 'pending' && html`<li>Given up after: ${exactTime(delivery.expiresAt)}</li>`}
      ${lastError !== null && html`<li>Last error: <bdi>${lastError}</bdi></li>`}
    </ul>
    <pre class="message">${text}</pre>
    ${
      (state === 'dead' || state === 'kept') &&
      html`<form method="post" action="/dashboard/outbox/${id}/retry">
        <p class="actions">
          <button type="submit">
            ${state === 'dead' ? 'Send again' : 'Try to send it'}<span class="unseen">: ${subject}</span>
          </button>
        </p>
      </form>`
    }
  </section> `
}

const receiverOf = (delivery: Delivery): Html =>
  delivery.kind === 'mail'
    ? named(delivery.recipient)
    : html`the channel <a href="/dashboard/channels/${delivery.channelId}">${named(delivery.channelName)}</a>`
