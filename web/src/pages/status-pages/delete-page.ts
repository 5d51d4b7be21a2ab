import type { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import type { SubscriberCount } from '@probe-mesh/contracts/subscriber/subscriber'
import { named } from '../../html/measures.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { subscriptionsText } from '../subscribers/subscriptions-text.ts'

export type Losses = {
  page: StatusPage
  components: readonly Component[]
  subscriptions: Pick<SubscriberCount, 'confirmed' | 'unconfirmed'>
}

/** The losses of deleting a page. @param isOnly it is the only page; an account must have one */
export const deletePagePage = (
  { page, components, subscriptions }: Losses,
  { isOnly, message }: { isOnly: boolean; message: string | null },
): Html => html`
  <div data-dialog>
    ${message !== null && html`<p class="problems" role="alert">${message}</p>`}
    <p>${named(page.name)} is deleted for good, with:</p>
    <ul>
      <li>its address <bdi>${page.path}</bdi>, feeds and badges; another account can take the address</li>
      <li>its ${components.length} component${components.length === 1 ? '' : 's'}; the checks run on</li>
      <li>its incidents and maintenance windows</li>
      <li>its subscriptions: ${subscriptionsText(subscriptions)}</li>
    </ul>
    ${
      isOnly &&
      html`<p>
        This is the only status page of the account, which needs at least one.
        <a href="/dashboard/pages#create">Create another page</a> first.
      </p>`
    }
    <form method="post" action="/dashboard/pages/${page.id}/delete">
      <p class="actions">
        ${!isOnly && html`<button class="danger" type="submit">Delete page</button>`}
        <a class="button" href="/dashboard/pages/${page.id}" data-cancel>Cancel</a>
      </p>
    </form>
  </div>
`
