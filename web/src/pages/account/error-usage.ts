import { inFigures } from '@probe-mesh/contracts/schema/in-figures'
import type { ErrorUsage } from '@probe-mesh/error-tracking/contracts/error-project'
import { html, type Html } from '@probe-mesh/runtime/html'
import { shareBar } from '../../charts/count-bars.ts'
import { exactTime, percent, time } from '../../html/measures.ts'

/** From this share of the quota on, every page of errors shows it. */
const warnedFrom = 0.8

/** The used part of an account's monthly quota, as a bar and in words. */
export const usageBar = ({ quota, spent, since, until, asOf }: ErrorUsage): Html => {
  const share = quota === 0 ? 1 : spent / quota
  return html`<div class="usage">
    <p>
      <strong>${inFigures(spent)}</strong> of ${inFigures(quota)} events this month
      ${quota > 0 && spent > 0 && html`<span class="muted">(${shareText(share)})</span>`}
    </p>
    ${shareBar(share, share >= 1 ? 'full' : share >= warnedFrom ? 'warned' : null)}
    <p class="muted small-print">
      All projects since ${exactTime(since)} · resets ${time(until)} · as of ${time(asOf)}
    </p>
  </div>`
}

/** A small share is more than nothing. */
const shareText = (share: number): string => (share < 0.001 ? 'less than 0.1 %' : percent(Math.min(1, share)))

/** A warning once the quota is nearly used or used up; nothing below 80 %. */
export const usageBanner = ({ quota, spent, until, asOf }: ErrorUsage): Html | null => {
  if (spent >= quota) {
    return html`<div class="problems" role="alert">
      <p>
        The quota of error events is used up: ${inFigures(spent)} of ${inFigures(quota)} as of ${time(asOf)}.
        New events are dropped until ${exactTime(until)}.
      </p>
    </div>`
  }
  if (spent < quota * warnedFrom) return null
  return html`<div class="warned" role="status">
    <p>
      ${percent(spent / quota)} of the quota of error events is used: ${inFigures(spent)} of
      ${inFigures(quota)} as of ${time(asOf)}. When it is used up, new events are dropped until
      ${exactTime(until)}.
    </p>
  </div>`
}
