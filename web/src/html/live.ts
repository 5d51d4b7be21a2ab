import { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { Check } from '@probe-mesh/contracts/check/check'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { checkWords, pausedWords, tag } from './components/tag.ts'

/** The status of a check, which islands/live.js replaces as it changes; a paused check has none. */
export const liveStatus = ({ id, status, paused }: Pick<Check, 'id' | 'status' | 'paused'>): Html =>
  paused ? tag(pausedWords) : html`<span data-check-id="${id}">${tag(checkWords[status])}</span>`

/** Where islands/live.js shows whether the page is live; in the row of the heading, so that nothing moves. */
export const liveState: Html = html`<p id="live-state" hidden></p>`

/** What else islands/live.js needs: where screen readers hear changes, and the words of each status. */
export const liveParts: Html = html`
  <p id="live-news" class="unseen" role="status"></p>
  <template id="status-tags">
    ${CheckStatus.options.map(
      (status) => html`<span data-status="${status}">${tag(checkWords[status])}</span>`,
    )}
  </template>
`
