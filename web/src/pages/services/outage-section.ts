import type { PastOutage } from '@probe-mesh/contracts/outage/answers'
import type { ServiceHistory, ServicePageAnswer } from '@probe-mesh/contracts/outage/service-page'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { duration, none, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { unreadable } from './service-history.ts'

/** Past outages, newest first. @param page.incidents null: the time series cannot be read now */
export const outageSection = (page: Past): Html =>
  html`<section aria-labelledby="outages">
    <h2 id="outages">Past outages</h2>
    ${outagesOf(page)}
  </section>`

type Past = Pick<ServicePageAnswer, 'incidents' | 'history'>

const outageDays = 30

/** Said where no outage was seen: of what was not measured that says nothing. */
export const noneSeen = (history: ServiceHistory | null): string => {
  if (history === null) {
    return `Our probes have seen none in what they measured of the last ${outageDays} days.`
  }
  const measured = history.days.slice(-outageDays).filter((day) => day.upShare !== null).length
  return measured === 0
    ? `Nothing was measured in the last ${outageDays} days: whether there were outages is not known.`
    : `Our probes have seen none in the last ${outageDays} days, of which ${measured} ${measured === 1 ? 'has' : 'have'} a measurement.`
}

const outagesOf = ({ incidents: outages, history }: Past): Html => {
  if (outages === null) return html`<p>${unreadable}</p>`
  if (outages.length === 0) return html`<p>${noneSeen(history)}</p>`
  return table(
    'Outages of the last 30 days that our probes saw, newest first',
    [
      { heading: 'Began', cell: ({ startedAt }) => time(startedAt) },
      { heading: 'Ended', cell: (one) => (one.ongoing ? 'not yet' : time(one.endedAt)) },
      { heading: 'Lasted', cell: lastedOf },
      { heading: 'Regions', cell: ({ regions }) => regions.join(', ') },
      { heading: "Before the vendor's post", cell: aheadOf },
    ],
    outages,
  )
}

const lastedOf = ({ durationSeconds, unmeasuredSeconds }: PastOutage): string =>
  unmeasuredSeconds === 0
    ? duration(durationSeconds)
    : `${duration(durationSeconds)}, of which ${duration(unmeasuredSeconds)} not measured`

const aheadOf = ({ aheadOfVendorSeconds: seconds }: PastOutage): string => {
  if (seconds === null) return none
  return seconds < 0 ? `${duration(seconds)} after it` : duration(seconds)
}
