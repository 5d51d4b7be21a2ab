import type { ErrorUsage } from '@probe-mesh/contracts/error-tracking/error-project'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { exactTime, percent, time } from '../../html/measures.ts'
import { number } from './counted.ts'

/** From here on every page of errors says it. */
const warnedFrom = 0.8

/** What an account spent of its error events, as a bar and in words. */
export const usageBar = ({ quota, spent, since, until, asOf }: ErrorUsage): Html => html`
  <p>
    ${number(spent)} of the ${number(quota)} events that the account's tier stores in a month are spent since
    ${exactTime(since)}, by all projects together; as of ${time(asOf)}. The quota begins anew ${time(until)}.
  </p>
  <p>
    <progress
      class="spent"
      max="${Math.max(quota, 1)}"
      value="${Math.min(spent, Math.max(quota, 1))}"
      aria-label="Error events spent of the month's quota"
    ></progress>
    ${quota > 0 && percent(Math.min(1, spent / quota))}
  </p>
`

/** What whoever looks after errors must know before anything else; nothing below 80 %. */
export const usageBanner = ({ quota, spent, until, asOf }: ErrorUsage): Html | null => {
  if (spent >= quota) {
    return html`<div class="problems" role="alert">
      <p>
        The quota is spent: ${number(spent)} of ${number(quota)} events as of ${time(asOf)}. Events that come
        are counted as dropped, and none is stored until the next month begins, ${time(until)}.
      </p>
    </div>`
  }
  if (spent < quota * warnedFrom) return null
  return html`<div class="warned" role="status">
    <p>
      ${percent(spent / quota)} of the month's events are spent: ${number(spent)} of ${number(quota)} as of
      ${time(asOf)}. When all are, events are counted as dropped and none is stored until ${exactTime(until)}.
    </p>
  </div>`
}
