import type { ErrorProjectDetails } from '@probe-mesh/contracts/error-tracking/error-project'
import type { ErrorDrops } from '@probe-mesh/contracts/error-tracking/error-tracking'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { exactTime } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { number } from './counted.ts'
import { categoryText, dropAdvice, dropWords, itemText, reasonText } from './error-words.ts'

const reasons = Object.keys(dropWords) as (keyof ErrorDrops)[]

const span = ({ since, asOf }: Pick<ErrorProjectDetails, 'since' | 'asOf'>): Html =>
  html`From ${exactTime(since)} to ${exactTime(asOf)}.`

const dropped = (project: ErrorProjectDetails): Html => html`
  <h3>Dropped</h3>
  <p>${span(project)} Each event that arrived is stored or in one of these rows.</p>
  ${table<keyof ErrorDrops>(
    'Events that arrived and were not stored, by why',
    [
      { heading: 'Why', cell: (reason) => dropWords[reason] },
      { heading: 'Events', isNumber: true, cell: (reason) => number(project.dropped[reason]) },
      { heading: 'What it means', cell: (reason) => dropAdvice[reason] },
    ],
    reasons,
  )}
`

const clientReports = (project: ErrorProjectDetails): Html => html`
  <h3>What SDKs threw away themselves</h3>
  <p>
    ${span(project)} None of this arrived: it is neither in what was received nor in what was dropped. It is
    what SDKs say of themselves, and not each of them does.
  </p>
  ${
    project.clientReports.length === 0
      ? html`<p>No SDK said that it threw anything away.</p>`
      : table<ErrorProjectDetails['clientReports'][number]>(
          'Thrown away by SDKs before it was sent, most first',
          [
            { heading: 'Why', cell: ({ reason }) => reasonText(reason) },
            { heading: 'Of what', cell: ({ category }) => categoryText(category) },
            { heading: 'How many', isNumber: true, cell: ({ quantity }) => number(quantity) },
          ],
          project.clientReports,
        )
  }
`

const unsupported = (project: ErrorProjectDetails): Html => html`
  <h3>Received, counted, not kept</h3>
  <p>
    ${span(project)} SDKs send more than errors. These are no events, spend nothing of the quota, and nothing
    of them is stored.
  </p>
  ${
    project.unsupported.length === 0
      ? html`<p>Nothing but events was received.</p>`
      : table<ErrorProjectDetails['unsupported'][number]>(
          'Items that are no events, most first',
          [
            { heading: 'Item', cell: ({ type }) => itemText(type) },
            { heading: 'How many', isNumber: true, cell: ({ items }) => number(items) },
          ],
          project.unsupported,
        )
  }
`

/** What became of everything that a project's SDKs sent this month, or did not send. */
export const countedSection = (project: ErrorProjectDetails): Html => html`
  <h2 id="counted">What became of events</h2>
  ${dropped(project)} ${clientReports(project)} ${unsupported(project)}
`
