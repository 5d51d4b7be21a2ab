import type { NamedService, ReportVolumeAnswer } from '@probe-mesh/contracts/answers'
import type { Region } from '@probe-mesh/contracts/regions'
import { markup, nothing } from './markup.ts'
import type { Markup } from './markup.ts'
import { table } from './table.ts'
import { reportWords, tag } from './tag.ts'

/**
 * What people report, always beside what our probes read, and the form to report a problem oneself.
 * The visitor says the region or that it is not known: "never guessed" (contracts.md).
 */
export const reportSection = (
  service: NamedService,
  answer: ReportVolumeAnswer,
  regions: readonly Region[],
): Markup => markup`<section aria-labelledby="reports">
<h2 id="reports">Reports of people</h2>
<p>${tag(reportWords[answer.reports.verdict])}</p>
<p>${answer.summary}</p>
${volumeTable(answer)}
<form method="post" action="/services/${encodeURIComponent(service.slug)}/reports" aria-describedby="reporting">
<div>
<label for="region">The region you are in</label>
<select id="region" name="region">
<option value="unknown" selected>I do not know</option>
${regions.map((region) => markup`<option value="${region}">${region}</option>`)}
</select>
</div>
<button type="submit">Report a problem</button>
</form>
<p id="reporting" class="muted">Regions are named by an airport in them, such as fra for Frankfurt. One report counts in a quarter of an hour, your address is not stored, and reports never change what we say of the service: only measurements do.</p>
</section>`

const volumeTable = ({ reports }: ReportVolumeAnswer): Markup =>
  reports.regions.length === 0
    ? nothing
    : table(
        'Reports by region',
        [
          {
            heading: 'Region',
            cell: ({ region }) => (region === 'unknown' ? 'not said' : region),
          },
          { heading: 'Last 15 minutes', cell: (one) => one.last15Minutes, isNumber: true },
          { heading: 'Last hour', cell: (one) => one.last60Minutes, isNumber: true },
        ],
        reports.regions,
      )
