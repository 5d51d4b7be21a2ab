import type { PastOutage } from '@probe-mesh/contracts/answers'
import { html } from '../../html/html.ts'
import type { Html } from '../../html/html.ts'
import { duration, none, time } from '../../html/measures.ts'
import { table } from '../../html/table.ts'
import { unreadable } from './service-history.ts'

/** Past outages, newest first. @param outages null: the time series cannot be read now */
export const outageSection = (outages: readonly PastOutage[] | null): Html =>
  html`<section aria-labelledby="outages">
    <h2 id="outages">Past outages</h2>
    ${outagesOf(outages)}
  </section>`

const outagesOf = (outages: readonly PastOutage[] | null): Html => {
  if (outages === null) return html`<p>${unreadable}</p>`
  if (outages.length === 0) return html`<p>Our probes have seen none in 30 days.</p>`
  return table(
    'Outages of the last 30 days that our probes saw, newest first',
    [
      { heading: 'Began', cell: ({ startedAt }) => time(startedAt) },
      { heading: 'Ended', cell: (one) => (one.ongoing ? 'not yet' : time(one.endedAt)) },
      { heading: 'Lasted', cell: (one) => duration(one.durationSeconds) },
      { heading: 'Regions', cell: ({ regions }) => regions.join(', ') },
      { heading: "Before the vendor's post", cell: aheadOf },
    ],
    outages,
  )
}

const aheadOf = ({ aheadOfVendorSeconds: seconds }: PastOutage): string => {
  if (seconds === null) return none
  return seconds < 0 ? `${duration(seconds)} after it` : duration(seconds)
}
