import type { Trial } from '@probe-mesh/contracts/check/trial'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { milliseconds, time } from '../../html/measures.ts'
import { regionName } from '../../html/region-name.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { detailsCard, newestOfRegions } from '../checks/details-card.ts'
import { verdictWords } from '../checks/verdict-words.ts'

/** What one run saw from each region, above the form that it was tried from. */
export const trialHtml = ({ readings, unanswered, vantage }: Trial): Html =>
  html`<section id="trial" tabindex="-1" aria-labelledby="trial-heading">
    <h2 id="trial-heading">What it saw</h2>
    <p>
      Measured once just now, and not saved. ${vantage === 'local' && 'One machine stands for every region.'}
      ${
        unanswered.length > 0 &&
        `No answer from ${unanswered.join(', ')}: nothing is known of what is seen from there.`
      }
    </p>
    ${
      readings.length > 0 &&
      table(
        'One reading per region',
        [
          { heading: 'Region', cell: ({ region }) => regionName(region) },
          { heading: 'Verdict', cell: ({ verdict }) => tag(verdictWords[verdict]) },
          { heading: 'Reason', cell: ({ reason }) => html`<bdi>${reason ?? ''}</bdi>` },
          { heading: 'Status', isNumber: true, cell: ({ httpStatus }) => httpStatus ?? '' },
          { heading: 'Latency', isNumber: true, cell: ({ latencyMs }) => milliseconds(latencyMs) },
          { heading: 'DNS', isNumber: true, cell: ({ timings }) => milliseconds(timings.dnsMs) },
          {
            heading: 'Connect',
            isNumber: true,
            cell: ({ timings }) => milliseconds(timings.connectMs),
          },
          { heading: 'TLS', isNumber: true, cell: ({ timings }) => milliseconds(timings.tlsMs) },
          {
            heading: 'First byte',
            isNumber: true,
            cell: ({ timings }) => milliseconds(timings.ttfbMs),
          },
          { heading: 'Measured', cell: ({ measuredAt }) => time(measuredAt) },
        ],
        readings,
      )
    }
    ${detailsCard(newestOfRegions(readings), [])}
  </section>`

/**
 * The button that tries what is typed; nothing for a heartbeat, which nobody probes.
 * @param path of the form
 */
export const tryButton = (path: string): Html =>
  html`<button type="submit" name="act" value="try" formnovalidate formaction="${path}#trial">Try it</button>`

export const tryHint = html`<p class="hint">
  Trying measures once from each ticked region and saves nothing. A journey that sends something does send it.
</p>`
