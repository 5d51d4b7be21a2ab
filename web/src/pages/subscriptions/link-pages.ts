import type { SubscriptionTo } from '@probe-mesh/contracts/subscriber/subscription-routes'
import { html, type Html } from '@probe-mesh/runtime/html'
import { named } from '../../html/measures.ts'

type Page = { kind: 'plain'; title: string; heading?: Html; main: Html; status?: number }

export const confirmPath = '/subscriptions/confirm'
export const unsubscribePath = '/subscriptions/unsubscribe'

/** A page, or one component of it: as text for a title, and as HTML. */
const textOf = ({ pageName, componentName }: SubscriptionTo): string =>
  componentName === null ? pageName : `${componentName} on ${pageName}`
const whatOf = ({ pageName, componentName }: SubscriptionTo): Html =>
  componentName === null ? named(pageName) : html`${named(componentName)} on ${named(pageName)}`

const button = (label: string, action: string, [name, value]: readonly [string, string]): Html =>
  html`<form method="post" action="${action}">
    <input type="hidden" name="${name}" value="${value}" />
    <p class="actions"><button class="primary" type="submit">${label}</button></p>
  </form>`

export const confirmPage = (subscription: SubscriptionTo, token: string): Page => ({
  kind: 'plain',
  title: `Subscribe to ${textOf(subscription)}`,
  heading: html`Subscribe to ${whatOf(subscription)}`,
  main: html`<p>
      Press the button to get mail about incidents and maintenance. Every mail has a link that ends it.
    </p>
    ${button('Confirm', confirmPath, ['token', token])}`,
})

export const confirmedPage = (subscription: SubscriptionTo): Page => ({
  kind: 'plain',
  title: 'You are subscribed',
  main: html`<p>You will get mail about incidents and maintenance of ${whatOf(subscription)}.</p>`,
})

/** Its form sends the same request as mail programs (RFC 8058, 3.1). */
export const unsubscribePage = (subscription: SubscriptionTo, token: string): Page => ({
  kind: 'plain',
  title: `Unsubscribe from ${textOf(subscription)}`,
  heading: html`Unsubscribe from ${whatOf(subscription)}`,
  main: html`<p>Press the button to get no more mail.</p>
    ${button('Unsubscribe', `${unsubscribePath}/${encodeURIComponent(token)}`, ['List-Unsubscribe', 'One-Click'])}`,
})

export const unsubscribedPage: Page = {
  kind: 'plain',
  title: 'You are unsubscribed',
  main: html`<p>You will get no more mail from this subscription.</p>`,
}

export const linkEnded: Page = {
  kind: 'plain',
  title: 'This link does not work any more',
  status: 404,
  main: html`<p>It is older than 24 hours, or a newer one was sent. Subscribe again on the status page.</p>`,
}

export const noSuchLink: Page = {
  kind: 'plain',
  title: 'This link is not one of ours',
  status: 404,
  main: html`<p>It may have been cut by a mail program: copy the whole address from the mail.</p>`,
}
