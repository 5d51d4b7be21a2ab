import { CheckStatus, type Check } from '@probe-mesh/contracts/check/check'
import { html, type Html } from '@probe-mesh/runtime/html'
import { checkWords, pausedWords, tag } from './components/tag.ts'

/** The status of a check; islands/live.js updates it. A paused check has none. */
export const liveStatus = ({ id, status, paused }: Pick<Check, 'id' | 'status' | 'paused'>): Html =>
  paused ? tag(pausedWords) : html`<span data-check-id="${id}">${tag(checkWords[status])}</span>`

/**
 * Where islands/live.js shows whether the page is live; in the row of the heading, so the layout does not
 * move.
 */
export const liveState: Html = html`<p id="live-state" hidden></p>`

/** Other parts for islands/live.js: the region that screen readers announce, and the words of each status. */
export const liveParts: Html = html`
  <p id="live-news" class="unseen" role="status"></p>
  <template id="status-tags">
    ${CheckStatus.options.map(
      (status) => html`<span data-status="${status}">${tag(checkWords[status])}</span>`,
    )}
  </template>
`
