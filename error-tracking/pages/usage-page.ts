import { inFigures } from '@probe-mesh/contracts/schema/in-figures'
import type { ErrorProjectDetails } from '../contracts/error-project.ts'
import type { ErrorDrops } from '../contracts/error-tracking.ts'
import { card, stats } from '@probe-mesh/web/src/html/components/card'
import { table } from '@probe-mesh/web/src/html/components/table'
import { html, type Html } from '@probe-mesh/runtime/html'
import { exactTime, time } from '@probe-mesh/web/src/html/measures'
import { droppedOf, receivedOf } from './counted.ts'
import { categoryText, dropAdvice, dropWords, itemText, reasonText } from './error-words.ts'
import { usageBanner, usageBar } from '@probe-mesh/web/src/pages/account/error-usage'

const reasons = Object.keys(dropWords) as (keyof ErrorDrops)[]

/** How many events arrived this month, and why some were not stored. */
export const usagePage = (project: ErrorProjectDetails): Html => {
  const dropped = droppedOf(project)
  return html`${usageBanner(project.usage)}
    ${stats([
      { label: 'Received this month', value: inFigures(receivedOf(project)) },
      { label: 'Stored', value: inFigures(project.eventsThisMonth) },
      { label: 'Dropped', value: inFigures(dropped), ...(dropped > 0 && { note: 'by reason below' }) },
    ])}
    <p class="muted small-print">
      ${exactTime(project.since)} to ${exactTime(project.asOf)} · every received event is stored or dropped
      ${receivedOf(project) === 0 && html` · ${silenceText(project)}`}
    </p>
    ${card({ id: 'quota', title: 'Monthly quota of the account' }, usageBar(project.usage))}
    ${droppedCard(project, dropped)} ${project.clientReports.length > 0 && clientCard(project)}
    ${project.unsupported.length > 0 && unsupportedCard(project)}`
}

/** No event does not mean no error. */
const silenceText = ({ receivedEver, createdAt }: ErrorProjectDetails): Html =>
  receivedEver === 0
    ? html`no event since the project was created ${time(createdAt)}, so nothing is known about errors`
    : html`no event this month, so nothing is known about errors`

const droppedCard = (project: ErrorProjectDetails, dropped: number): Html =>
  card(
    { id: 'dropped', title: 'Dropped events', about: 'received and not stored' },
    dropped === 0
      ? html`<p class="muted">
          No event was dropped this month.
          ${project.clientReports.length === 0 && 'No SDK reported dropped events; not every SDK does.'}
        </p>`
      : table<keyof ErrorDrops>(
          'Dropped events by reason',
          [
            { heading: 'Reason', cell: (reason) => dropWords[reason] },
            { heading: 'Events', isNumber: true, cell: (reason) => inFigures(project.dropped[reason]) },
            { heading: 'What to do', cell: (reason) => dropAdvice[reason] },
          ],
          reasons
            .filter((reason) => project.dropped[reason] > 0)
            .toSorted((a, b) => project.dropped[b] - project.dropped[a]),
        ),
  )

const clientCard = ({ clientReports }: ErrorProjectDetails): Html =>
  card(
    { id: 'client', title: 'Dropped by SDKs', about: 'reported by SDKs, never received' },
    table<ErrorProjectDetails['clientReports'][number]>(
      'Dropped by SDKs before sending',
      [
        { heading: 'Reason', cell: ({ reason }) => reasonText(reason) },
        { heading: 'Kind', cell: ({ category }) => categoryText(category) },
        { heading: 'Count', isNumber: true, cell: ({ quantity }) => inFigures(quantity) },
      ],
      clientReports,
    ),
  )

const unsupportedCard = ({ unsupported }: ErrorProjectDetails): Html =>
  card(
    { id: 'unsupported', title: 'Other items', about: 'received, not stored, free of charge' },
    table<ErrorProjectDetails['unsupported'][number]>(
      'Items that are not events',
      [
        { heading: 'Item', cell: ({ type }) => itemText(type) },
        { heading: 'Count', isNumber: true, cell: ({ items }) => inFigures(items) },
      ],
      unsupported,
    ),
  )
