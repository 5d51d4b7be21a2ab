import type { CheckName } from '@probe-mesh/contracts/check/check-list'
import type { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import type { SubscriberCount } from '@probe-mesh/contracts/subscriber/subscriber'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { named } from '../../html/measures.ts'
import { previewFrame } from '../../html/preview-frame.ts'
import { stateWords } from '../../html/publish-words.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { namesById } from '../check-names.ts'
import { subscriptionsText } from '../subscribers/subscriptions-text.ts'

export type ShownStatusPage = {
  page: StatusPage
  components: readonly Component[]
  /** Those that the components publish. */
  checks: readonly CheckName[]
  subscriptions: Pick<SubscriberCount, 'confirmed' | 'unconfirmed'>
}

/** One page as its owner sees it: what it says now, what it publishes, and what can be done. */
export const statusPagePage = ({ page, components, checks, subscriptions }: ShownStatusPage): Html => {
  const at = `/dashboard/pages/${page.id}`
  const names = namesById(checks)
  return html`
    <dl>
      <dt>State</dt>
      <dd>${tag(stateWords[page.state])}</dd>
      <dt>Public address</dt>
      <dd><a href="${page.path}">${page.url}</a></dd>
      <dt>Title</dt>
      <dd>${named(page.title ?? page.name)}</dd>
      <dt>Subscriptions</dt>
      <dd>
        <a href="/dashboard/subscribers?page=${page.id}">${subscriptionsText(subscriptions)}</a>
      </dd>
    </dl>
    <p class="actions">
      <a class="button" href="${at}/edit">Edit the page</a>
      <a class="button" href="/dashboard/incidents/new?page=${page.id}">Open an incident</a>
      <a class="button" href="/dashboard/maintenance/new?page=${page.id}">Announce maintenance</a>
      <a href="${at}/delete">Delete the page</a>
    </p>
    <h2>Components</h2>
    <p>
      A component publishes one check under a name of its own. Its state is what the check says now, and no
      data where nothing fresh was measured; the regions and times behind it are with the check.
    </p>
    ${
      components.length === 0
        ? html`<p>The page publishes nothing yet, so it says that there is no data.</p>`
        : table(
            'What the page publishes, in its order',
            [
              { heading: 'Shown as', cell: ({ displayName }) => named(displayName) },
              { heading: 'State', cell: ({ state }) => tag(stateWords[state]) },
              {
                heading: 'Check',
                cell: ({ checkId }) =>
                  html`<a href="/dashboard/checks/${checkId}">${named(names.get(checkId) ?? checkId)}</a>`,
              },
              {
                heading: 'Description',
                cell: ({ description }) => html`<bdi>${description ?? ''}</bdi>`,
              },
              {
                heading: 'Act',
                cell: ({ id, displayName }) => html`
                  <a href="${at}/components/${id}">Edit<span class="unseen"> ${displayName}</span></a
                  >,
                  <a href="${at}/components/${id}/unpublish"
                    >Unpublish<span class="unseen"> ${displayName}</span></a
                  >
                `,
              },
            ],
            components,
          )
    }
    <p><a class="button" href="${at}/publish">Publish a check</a></p>
    ${previewFrame(`${at}/preview`)}
  `
}

/** What is lost with a page. @param isOnly the account has no other, and must have one */
export const deletePagePage = (
  { page, components, subscriptions }: Omit<ShownStatusPage, 'checks'>,
  { isOnly, message }: { isOnly: boolean; message: string | null },
): Html => html`
  ${message !== null && html`<p class="problems" role="alert">${message}</p>`}
  <p>With the page <bdi>${page.name}</bdi> go, and cannot be had back:</p>
  <ul>
    <li>its address <bdi>${page.path}</bdi> with its feeds and badges: anybody may take it then;</li>
    <li>its ${components.length} component${components.length === 1 ? '' : 's'}: the checks run on;</li>
    <li>
      its incidents with their timelines, and its maintenance windows: alerts that an active one holds are
      told;
    </li>
    <li>its subscriptions, ${subscriptionsText(subscriptions)}: nobody of them is told.</li>
  </ul>
  ${
    isOnly &&
    html`<p>
      It is the account's only page, and an account has at least one:
      <a href="/dashboard/pages">make another page</a> before you delete it.
    </p>`
  }
  <form method="post" action="/dashboard/pages/${page.id}/delete">
    <p class="actions">
      ${!isOnly && html`<button class="danger" type="submit">Delete the page</button>`}
      <a href="/dashboard/pages/${page.id}">Keep it</a>
    </p>
  </form>
`
