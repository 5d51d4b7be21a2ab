import type { Exchange } from '@probe-mesh/contracts/reading/exchange'
import type { ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { none, time } from '../../html/measures.ts'

/** What a reading has of its request and answer; absent for most readings. */
export const exchangeIn = (details: ReadingDetails | null): Exchange | undefined =>
  details?.type === 'http' || details?.type === 'multistep' ? details.exchange : undefined

/** Behind a summary: what a check sent last and what came back. */
export const exchangeView = (exchange: Exchange, when: Piece = ''): Html => {
  const { method, sentTo, endedAt, sentHeaders, responseHeaders, responseBody, chain, resolvedTo } = exchange
  const { leftOut = [] } = exchange
  const headers = responseHeaders.map(({ header, content }) => `${header}: ${content}`).join('\n')
  return html`<details class="exchange">
    <summary>What was sent and what came back ${when}</summary>
    <dl>
      ${row('Request', html`${method} <bdi class="code">${sentTo}</bdi>`)}
      ${row('Headers sent, without their values', sentHeaders.join(', '))}
      ${endedAt !== null && row('Redirects ended at', html`<bdi class="code">${endedAt}</bdi>`)}
      ${leftOut.length > 0 && row('Not sent to another origin', leftOut.join(', '))}
      ${row('Addresses of the name', resolvedTo.length === 0 ? none : resolvedTo.join(', '))}
      ${chain.map(({ subject, issuer, expiresAtMs }, at) =>
        row(
          at === 0 ? 'Certificate' : 'Issuer',
          html`<bdi>${subject}</bdi>, signed by <bdi>${issuer}</bdi>, valid to
            ${time(new Date(expiresAtMs).toISOString())}`,
        ),
      )}
    </dl>
    ${headers !== '' && html`<pre>${headers}</pre>`}
    ${responseBody !== null && html`<pre>${responseBody}</pre>`}
    <p class="muted small-print">Secrets, cookies and credentials are hidden.</p>
  </details>`
}

const row = (name: string, value: Piece): Html =>
  html`<dt>${name}</dt>
    <dd>${value}</dd>`
