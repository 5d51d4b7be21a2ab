import { refusals } from '@probe-mesh/contracts/schema/refusal'
import { serviceSearch } from '../html/service-search.ts'
import { html, type Html } from '@probe-mesh/runtime/html'

/** Links for a page that does not exist. */
export const wayOn: Html = html`
  ${serviceSearch({ in: null })}
  <p class="actions">
    <a class="button" href="/">Go to the home page</a>
    <a class="button" href="/dashboard">Open the dashboard</a>
  </p>
`

export const missingPage: Html = html`
  <p>There is no page at this address. It may have moved, or it belongs to another account.</p>
  ${wayOn}
`

/** The same for a visitor without an account. @param message of the API */
export const missingForVisitor = (message: string): Html => html`
  <p>${message === refusals['SV-3001'].message ? 'There is no page at this address.' : message}</p>
  ${wayOn}
`
