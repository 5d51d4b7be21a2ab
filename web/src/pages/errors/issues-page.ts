import type { ErrorRegression, OwnErrorIssues } from '@probe-mesh/contracts/error-tracking/error-issue-acts'
import type { ErrorIssueHours } from '@probe-mesh/contracts/error-tracking/error-marks'
import type { ErrorProjectDetails } from '@probe-mesh/contracts/error-tracking/error-project'
import type { ErrorIssue } from '@probe-mesh/contracts/error-tracking/error-tracking'
import type { Asked } from '../../api/ask.ts'
import { problemSummary, selectField, textField } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { exactTime, named, none, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { countedSection } from './counted-section.ts'
import { droppedOf, number, receivedOf, silenceText } from './counted.ts'
import { hoursCell, hoursNote } from './counts-over-time.ts'
import { choicesOf, issueWords, windowNames } from './error-words.ts'
import { usageBanner } from './usage.ts'

const filters = ['q', 'release', 'status', 'window'] as const

/** Whether a search asks for anything at all. */
export const isSearch = ({ typed }: Pick<FormState, 'typed'>): boolean =>
  filters.some((name) => (typed[name] ?? '') !== '')

const searchForm = (projectId: string, form: FormState): Html => html`
  ${problemSummary(form, filters)}
  <form method="get" action="/dashboard/errors/${projectId}">
    <div class="fields">
      ${textField(form, { name: 'q', label: 'Text', hint: 'Part of the title, the culprit or a message.' })}
      ${textField(form, { name: 'release', label: 'Release', hint: 'Seen in exactly this one.' })}
      ${selectField(form, {
        name: 'status',
        label: 'Status',
        choices: [
          { value: '', label: 'any' },
          ...Object.entries(issueWords).map(([value, { text }]) => ({ value, label: text })),
        ],
      })}
      ${selectField(form, {
        name: 'window',
        label: 'Seen last in',
        choices: [{ value: '', label: 'any time' }, ...choicesOf(windowNames)],
      })}
    </div>
    <p class="actions">
      <button class="primary" type="submit">Search</button>
      ${isSearch(form) && html`<a href="/dashboard/errors/${projectId}">All issues</a>`}
    </p>
  </form>
`

const releasesText = ({ releases }: ErrorIssue): Html => {
  const [first, ...more] = releases
  if (first === undefined) return html`${none}`
  return html`${named(first.release)}${more.length > 0 && ` and ${more.length} more`}`
}

/** Of an issue that an occurrence opened again after it was resolved. */
const cameBack = (regression: ErrorRegression | undefined): Html | null =>
  regression === undefined
    ? null
    : html` ${tag({ tone: 'uncertain', text: 'came back' })}<br /><span class="muted"
          >${time(regression.at)}</span
        >`

const issuesTable = ({ issues, regressions }: OwnErrorIssues, counts: ErrorIssueHours | null): Html =>
  table<ErrorIssue>(
    'Issues, seen last first',
    [
      {
        heading: 'Issue',
        cell: ({ id, projectId, title, culprit }) =>
          html`<a class="issue" href="/dashboard/errors/${projectId}/issues/${id}">${named(title)}</a>
            ${culprit !== null && html`<br /><span class="muted">${named(culprit)}</span>`}`,
      },
      {
        heading: 'Status',
        cell: ({ id, status }) =>
          html`${tag(issueWords[status])}${status === 'unresolved' && cameBack(regressions[id])}`,
      },
      {
        heading: 'Occurrences',
        isNumber: true,
        cell: ({ occurrences }) => number(occurrences),
      },
      ...(counts === null
        ? []
        : [
            {
              heading: 'Last 24 hours',
              cell: ({ id }: ErrorIssue) => hoursCell(counts, id),
            },
          ]),
      { heading: 'Releases, most first', cell: releasesText },
      { heading: 'First seen', cell: ({ firstSeen }) => time(firstSeen) },
      { heading: 'Last seen', cell: ({ lastSeen }) => time(lastSeen) },
    ],
    issues,
  )

/**
 * @param search as typed; a search that was refused has `found` null
 * @param counts of the issues that are shown; null where none is
 */
export const issuesPage = (
  project: ErrorProjectDetails,
  search: FormState,
  found: OwnErrorIssues | null,
  more: string | null,
  counts: Asked<ErrorIssueHours> | null = null,
): Html => html`
  ${usageBanner(project.usage)}
  <p class="actions">
    <a href="/dashboard/errors">All projects</a>
    <a href="/dashboard/errors/${project.id}/settings">Set up, keys and settings</a>
  </p>
  <p>
    ${silenceText(project, project.since) ?? html`Since ${exactTime(project.since)}: received ${number(receivedOf(project))} events, of which stored ${number(project.eventsThisMonth)} and dropped ${number(droppedOf(project))}; as of ${time(project.asOf)}.`}
  </p>
  <p><a href="#counted">What became of events, and what SDKs threw away</a></p>
  <h2>Issues</h2>
  ${searchForm(project.id, search)} ${found !== null && foundText(project, search, found, { more, counts })}
  ${countedSection(project)}
`

/** Where the store of occurrences is away. */
const unsearched = ' Messages could not be searched just now: there may be more.'

const foundText = (
  project: ErrorProjectDetails,
  search: FormState,
  found: OwnErrorIssues,
  { more, counts }: { more: string | null; counts: Asked<ErrorIssueHours> | null },
): Html => {
  if (found.total === 0 && isSearch(search)) {
    return html`<p>
      No issue is like that; the project has ${number(project.issues)} in all.${!found.complete && unsearched}
    </p>`
  }
  const isAll = found.issues.length === found.total
  // why there is none was said above
  if (found.total === 0) return html`<p>No issue was stored yet.</p>`
  return html`
    <p>
      ${isAll ? `All ${number(found.total)} that are like that are shown.` : `The ${number(found.issues.length)} seen last of ${number(found.total)} are shown.`}
      ${isAll && !found.complete && unsearched}
      ${!isAll && more !== null && html`<a href="${more}">Show more</a>`}
    </p>
    ${issuesTable(found, counts?.ok === true ? counts.value : null)} ${counts !== null && hoursNote(counts)}
  `
}
