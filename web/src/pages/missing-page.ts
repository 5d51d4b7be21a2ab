import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

/** Where to go on from where nothing is. */
export const wayOn: Html = html`
  <p class="actions">
    <a class="button" href="/dashboard">To the dashboard</a>
    <a class="button" href="/services">What we measure of the internet</a>
  </p>
`

export const missingPage: Html = html`
  <p>There is no page at this address, or no longer. What belongs to another account is not found either.</p>
  ${wayOn}
  <p class="muted">SV-3001</p>
`
