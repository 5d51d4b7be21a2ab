import type { NamedService, ReportVolume } from '@probe-mesh/contracts/outage/answers'
import type { ServicePageAnswer } from '@probe-mesh/contracts/outage/service-page'
import { withoutInstant } from '../../html/answer-words.ts'
import { card } from '../../html/components/card.ts'
import { selectField, type FormState } from '../../html/components/form.ts'
import { problemNote } from '../../html/components/password-field.ts'
import { table } from '../../html/components/table.ts'
import { tag, type Wording } from '../../html/components/tag.ts'
import { placeOf } from '../../html/components/region-places.ts'
import { servicePath } from '../../html/service-tile.ts'
import { html, type Html } from '@probe-mesh/runtime/html'

const reportWords: Readonly<Record<ReportVolume['verdict'], Wording>> = {
  normal: { tone: 'silent', text: 'normal' },
  unusual: { tone: 'uncertain', text: 'unusual' },
  no_data: { tone: 'silent', text: 'no data' },
}

/**
 * Reports of people, always with the results of our probes, and the form to report a problem. The visitor
 * chooses the region, or that it is unknown (S-1307).
 */
export const reportSection = (
  service: NamedService,
  { reports, reportSummary, reportRegions }: ServicePageAnswer,
  form: FormState,
): Html =>
  card(
    { id: 'reports', title: 'Reports', about: tag(reportWords[reports.verdict]) },
    html`<p>${withoutInstant(reportSummary)}</p>
      <p class="muted small-print">${usualText(reports)}</p>
      ${volumeTable(reports)}
      <form class="report" method="post" action="${servicePath(service.slug)}/reports" data-keep>
        ${problemNote(form, ['region'])}
        ${selectField(form, {
          name: 'region',
          label: 'Your region',
          fallback: 'unknown',
          choices: [
            { value: 'unknown', label: 'I do not know' },
            ...reportRegions.map((value) => ({ value, label: nameOf(value) })),
          ],
        })}
        <button type="submit">Report a problem</button>
      </form>
      <p class="muted small-print">
        One report per address counts in 15 minutes. The address is not stored. Reports never change the
        status.
      </p>`,
  )

/** `Frankfurt (fra)` */
const nameOf = (region: string): string => {
  const place = placeOf(region)
  return place === null ? region : `${place.name} (${region})`
}

/** The present number of reports and the usual number at this hour of the week. */
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
          { heading: 'Region', cell: ({ region }) => (region === 'unknown' ? 'not said' : region) },
          { heading: 'Last 15 minutes', cell: (one) => one.last15Minutes, isNumber: true },
          { heading: 'Last hour', cell: (one) => one.last60Minutes, isNumber: true },
        ],
        regions,
      )
