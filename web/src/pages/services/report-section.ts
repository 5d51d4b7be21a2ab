import type { NamedService, ReportVolume } from '@probe-mesh/contracts/outage/answers'
import type { ServicePageAnswer } from '@probe-mesh/contracts/outage/service-page'
import { problemSummary, selectField } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import type { Wording } from '../../html/components/tag.ts'

export const reportWords: Readonly<Record<ReportVolume['verdict'], Wording>> = {
  normal: { tone: 'silent', text: 'normal' },
  unusual: { tone: 'uncertain', text: 'unusual' },
  no_data: { tone: 'silent', text: 'no data' },
}

/**
 * What people report, always beside what our probes read, and the form to report a problem oneself.
 * The visitor names the region, or that it is not known (S-1307).
 */
export const reportSection = (
  service: NamedService,
  { reports, reportSummary, reportRegions }: ServicePageAnswer,
  form: FormState,
): Html =>
  html`<section aria-labelledby="reports">
    <h2 id="reports">Reports of people</h2>
    <p>${tag(reportWords[reports.verdict])}</p>
    <p>${reportSummary}</p>
    <p class="muted">${usualText(reports)}</p>
    ${volumeTable(reports)}
    <form method="post" action="/services/${encodeURIComponent(service.slug)}/reports">
      ${problemSummary(form, ['region'])}
      <div class="fields">
        ${selectField(form, {
          name: 'region',
          label: 'The region you are in',
          hint: 'Regions are named by an airport in them, such as fra for Frankfurt.',
          fallback: 'unknown',
          choices: [
            { value: 'unknown', label: 'I do not know' },
            ...reportRegions.map((value) => ({ value, label: value })),
          ],
        })}
      </div>
      <p class="actions"><button type="submit">Report a problem</button></p>
    </form>
    <p class="muted">
      One report of an address counts in a quarter of an hour, the address is not stored, and reports never
      change what we say of the service: only measurements do.
    </p>
  </section>`

/** How many there are now, beside what is usual at this hour of the week. */
export const usualText = ({
  last15Minutes,
  usual15Minutes,
}: Pick<ReportVolume, 'last15Minutes' | 'usual15Minutes'>): string =>
  `${last15Minutes} in the last 15 minutes; usual at this hour of the week: ${
    usual15Minutes === null ? 'not known yet' : usual15Minutes
  }.`

const volumeTable = ({ regions }: ReportVolume): Html | null =>
  regions.length === 0
    ? null
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
        regions,
      )
