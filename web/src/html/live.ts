import { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { Check } from '@probe-mesh/contracts/check/check'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { checkWords, tag } from './tag.ts'

/** The status of a check, which islands/live.js replaces as it changes; a paused check has none. */
export const liveStatus = ({ id, status, paused }: Pick<Check, 'id' | 'status' | 'paused'>): Html =>
  paused ? html`paused` : html`<span data-check-id="${id}">${tag(checkWords[status])}</span>`

/**
 * What islands/live.js works with: where it says whether the page is live, where it tells what
 * changed to who does not see it, and the words of every status.
 */
export const liveParts: Html = html`
  <p id="live-state" class="muted" hidden></p>
  <p id="live-news" class="unseen" role="status"></p>
  <template id="status-tags">
    ${CheckStatus.options.map(
      (status) => html`<span data-status="${status}">${tag(checkWords[status])}</span>`,
    )}
  </template>
`
