import type { PastOutage, RecentIncidentsAnswer } from '@probe-mesh/contracts/answers'
import { markup } from './markup.ts'
import type { Markup } from './markup.ts'
import { duration, none, time } from './measures.ts'
import { table } from './table.ts'

/** Past outages, newest first. @param answer null: the time series cannot be read now */
export const outageSection = (answer: RecentIncidentsAnswer | null): Markup =>
  markup`<section aria-labelledby="outages">
<h2 id="outages">Past outages</h2>
${outagesOf(answer)}
</section>`

const outagesOf = (answer: RecentIncidentsAnswer | null): Markup => {
  if (answer === null) {
    return markup`<p>Past outages cannot be read now. This says nothing about whether there were any.</p>`
  }
  if (answer.incidents.length === 0) return markup`<p>Our probes have seen none.</p>`
  return table(
    'Outages that our probes saw, newest first',
    [
      { heading: 'Began', cell: ({ startedAt }) => time(startedAt) },
      { heading: 'Ended', cell: (one) => (one.ongoing ? 'not yet' : time(one.endedAt)) },
      { heading: 'Lasted', cell: (one) => duration(one.durationSeconds) },
      { heading: 'Regions', cell: ({ regions }) => regions.join(', ') },
      { heading: "Before the vendor's post", cell: aheadOf },
    ],
    answer.incidents,
  )
}

const aheadOf = ({ aheadOfVendorSeconds: seconds }: PastOutage): string => {
  if (seconds === null) return none
  return seconds < 0 ? `${duration(seconds)} after it` : duration(seconds)
}
