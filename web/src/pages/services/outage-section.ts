import type { PastOutage } from '@probe-mesh/contracts/outage/answers'
import type { ServiceHistory, ServicePageAnswer } from '@probe-mesh/contracts/outage/service-page'
import { card } from '../../html/components/card.ts'
import { regionLabel } from '../../html/components/region-marks.ts'
import { table } from '../../html/components/table.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { exactTime, none, shortDuration } from '../../html/measures.ts'
import { unreadable } from './service-history.ts'

/** Past outages, newest first. @param page.incidents null: the history is unavailable */
export const outageSection = (page: Past): Html =>
  card({ id: 'outages', title: 'Past outages', about: `${outageDays} days` }, outagesOf(page))

type Past = Pick<ServicePageAnswer, 'incidents' | 'history'>

const outageDays = 30

/** The text without outages; it says how much was measured. */
export const noneSeen = (history: ServiceHistory | null): string => {
  if (history === null) {
    return `No outage was measured in the last ${outageDays} days. How much was measured cannot be read now.`
  }
  const measured = history.days.slice(-outageDays).filter((day) => day.upShare !== null).length
  return measured === 0
    ? `Nothing was measured in the last ${outageDays} days, so outages are not known.`
    : `No outage was measured in the last ${outageDays} days. ${measured} of them ${measured === 1 ? 'has' : 'have'} data.`
}

const outagesOf = ({ incidents: outages, history }: Past): Html => {
  if (outages === null) return html`<p>${unreadable}</p>`
  if (outages.length === 0) return html`<p>${noneSeen(history)}</p>`
  return table(
    'Outages of the last 30 days that our probes saw, newest first',
    [
      { heading: 'Began', cell: ({ startedAt }) => exactTime(startedAt) },
      { heading: 'Lasted', cell: lastedOf },
      {
        heading: 'Regions',
        cell: ({ regions }) =>
          html`<span class="region-list">${regions.map((region) => html`${regionLabel(region)} `)}</span>`,
      },
      { heading: 'Vendor posted', cell: vendorOf },
    ],
    outages,
  )
}

const lastedOf = ({ durationSeconds, unmeasuredSeconds, ongoing }: PastOutage): Html =>
  html`${shortDuration(durationSeconds)}${ongoing && html` <strong class="bad">so far</strong>`}${
    unmeasuredSeconds > 0 &&
    html` <span class="muted">(${shortDuration(unmeasuredSeconds)} not measured)</span>`
  }`

/** The vendor's announcement, relative to our first failing reading. */
const vendorOf = ({ aheadOfVendorSeconds: seconds }: PastOutage): string => {
  if (seconds === null) return none
  return seconds < 0 ? `${shortDuration(-seconds)} before us` : `${shortDuration(seconds)} after us`
}
