import { inFigures } from '@probe-mesh/contracts/schema/in-figures'
import type { ErrorFacets } from '../contracts/error-breakdown.ts'
import type { OwnErrorIssues } from '../contracts/error-issue-acts.ts'
import type { ErrorIssueHours } from '../contracts/error-marks.ts'
import type { ErrorProjectDetails } from '../contracts/error-project.ts'
import type { ErrorIssue } from '../contracts/error-tracking.ts'
import type { Asked } from '@probe-mesh/web/src/api/ask'
import { card } from '@probe-mesh/web/src/html/components/card'
import type { FormState } from '@probe-mesh/web/src/html/components/form'
import { icon } from '@probe-mesh/web/src/html/components/icon'
import { tag } from '@probe-mesh/web/src/html/components/tag'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { named, none, time } from '@probe-mesh/web/src/html/measures'
import { counted } from './counted.ts'
import { hoursCell, peakText } from './counts-over-time.ts'
import { issueWords, levelMark, regressedWords } from './error-words.ts'
import { filterForm, filterOf, isFiltered } from './issue-filter.ts'
import { projectPath } from './project-tabs.ts'
import { setUp } from './set-up.ts'
import { usageBanner } from '@probe-mesh/web/src/pages/account/error-usage'

/** What the list shows of a search. */
export type IssueSearch = {
  /** As typed, with the problems of a refused search. */
  form: FormState
  /** null where the search was refused. */
  found: OwnErrorIssues | null
  /** The address of a longer list; null where this is the longest. */
  more: string | null
  /** Of the listed issues; null where there are none. */
  hours: Asked<ErrorIssueHours> | null
  facets: ErrorFacets | null
}

/** The issues of a project, last seen first, or how to set it up while it has none. */
export const issuesPage = (project: ErrorProjectDetails, search: IssueSearch): Html => {
  const { form, found } = search
  const isEmpty = found !== null && found.total === 0 && !isFiltered(form.typed)
  return html`${usageBanner(project.usage)}
  ${
    isEmpty
      ? firstSteps(project)
      : html`${filterForm(project.id, form, search.facets)}
        ${found !== null && foundList(project, found, search)}`
  }`
}

/** A project without issues: nothing was reported, which does not mean that nothing went wrong. */
const firstSteps = ({ receivedEver, platform, dsn, id }: ErrorProjectDetails): Html =>
  receivedEver === 0
    ? card(
        {
          id: 'set-up',
          title: 'Waiting for the first event',
          about: 'No event was received yet, so nothing is known about errors.',
        },
        setUp(platform, dsn),
      )
    : html`<div class="empty">
        ${icon('error')}
        <p class="empty-title">No issues stored</p>
        <p>${counted(receivedEver, 'event')} received, none stored as an issue.</p>
        <p><a class="button" href="${projectPath(id)}/usage">View usage</a></p>
      </div>`

const foundList = (project: ErrorProjectDetails, found: OwnErrorIssues, search: IssueSearch): Html => {
  const unsearched = !found.complete && found.issues.length === found.total
  if (found.total === 0) {
    return html`<div class="empty">
      ${icon('search')}
      <p class="empty-title">No issue matches</p>
      <p>
        The project has ${counted(project.issues, 'issue')}.
        ${unsearched && 'Messages could not be searched: there may be more matches.'}
      </p>
      <p><a href="${projectPath(project.id)}">Show all issues</a></p>
    </div>`
  }
  const hours = search.hours?.ok === true ? search.hours.value : null
  return html`${rowsForm(project.id, found, { hours, form: search.form })}
    <p class="muted small-print">
      ${
        found.issues.length === found.total
          ? counted(found.total, 'issue')
          : html`${inFigures(found.issues.length)} of ${counted(found.total, 'issue')}, last seen first
            ${search.more !== null && html` · <a href="${search.more}">Show more</a>`}`
      }
      ${unsearched && ' · messages could not be searched: there may be more matches'}
      ${hours !== null && html` · bars: events per hour, as of ${time(hours.asOf)}`}
      ${search.hours?.ok === false && html` · hourly counts could not be read: ${search.hours.problem.message}`}
    </p>`
}

/** The rows can be ticked for an act on all of them; a button of a row posts to an address of its own. */
const rowsForm = (
  projectId: string,
  { issues, regressions }: OwnErrorIssues,
  { hours, form }: { hours: ErrorIssueHours | null; form: FormState },
): Html => {
  const query = new URLSearchParams(filterOf(form.typed)).toString()
  return html`<form class="bulk" method="post" action="${projectPath(projectId)}/issues">
    <input type="hidden" name="back" value="${query}" />
    <table class="rows issue-rows">
      <caption class="unseen">
        Issues
      </caption>
      <thead>
        <tr>
          <th scope="col" class="tick"><span class="unseen">Select</span></th>
          <th scope="col">Issue</th>
          ${
            hours !== null &&
            html`<th scope="col" class="trend">
              <span class="trend-axis"><span>24 h ago</span><span>Now</span></span>
              <span class="unseen">Last 24 hours</span>
            </th>`
          }
          <th scope="col" class="number">Events</th>
          <th scope="col">Last seen</th>
          <th scope="col">First seen</th>
          <th scope="col"><span class="unseen">Actions</span></th>
        </tr>
      </thead>
      <tbody>
        ${issues.map((issue) => issueRow(issue, { hours, isRegressed: Object.hasOwn(regressions, issue.id) }))}
      </tbody>
    </table>
    ${bulkBar}
  </form>`
}

const issueRow = (
  issue: ErrorIssue,
  { hours, isRegressed }: { hours: ErrorIssueHours | null; isRegressed: boolean },
): Html => {
  const { id, projectId, title, status, occurrences, firstSeen, lastSeen } = issue
  const path = `${projectPath(projectId)}/issues/${id}`
  return html`<tr>
    <td class="tick">
      <input type="checkbox" name="id" value="${id}" aria-label="Select ${title}" data-keep />
    </td>
    <th scope="row">
      <a href="${path}">${named(title)}</a>
      <span class="target">${levelOf(issue)} ${stateOf(status, isRegressed)} ${placeOf(issue)}</span>
    </th>
    ${
      hours !== null &&
      html`<td class="trend">${hoursCell(hours, id)} <span class="peak">${peakText(hours, id)}</span></td>`
    }
    <td class="number" data-label="Events">${inFigures(occurrences)}</td>
    <td class="age" data-label="Last seen">${time(lastSeen)}</td>
    <td class="age first-seen" data-label="First seen">${time(firstSeen)}</td>
    <td class="more">
      <details class="menu-of" name="menu">
        <summary class="button icon-only" aria-label="Actions for ${title}">${icon('more')}</summary>
        <div class="menu-list">${actsOn(status, path)}</div>
      </details>
    </td>
  </tr>`
}

const actsOn = (status: ErrorIssue['status'], path: string): Piece => [
  status !== 'resolved' && html`<button class="menu-entry" formaction="${path}/resolve">Resolve</button>`,
  status === 'unresolved' && html`<button class="menu-entry" formaction="${path}/ignore">Ignore</button>`,
  status !== 'unresolved' && html`<button class="menu-entry" formaction="${path}/reopen">Reopen</button>`,
]

/** The level of the newest event, where it could be read. */
const levelOf = ({ recent }: ErrorIssue): Piece => {
  const level = recent[0]?.context['level']
  return typeof level === 'string' ? levelMark(level) : null
}

/** Open issues are the rule and have no mark. */
const stateOf = (status: ErrorIssue['status'], isRegressed: boolean): Piece => {
  if (status === 'unresolved') return isRegressed ? tag(regressedWords) : null
  return tag(issueWords[status])
}

/** The culprit and the release, such as `pay · shop@2.4.1`. */
const placeOf = ({ culprit, releases, recent }: ErrorIssue): Piece => {
  const release = recent[0]?.release ?? releases[0]?.release ?? null
  return html`<bdi>${culprit ?? none}</bdi>${release !== null && html` · ${named(release)}`}`
}

/** Shown once a row is ticked. */
const bulkBar: Html = html`<div class="bulk-bar" role="group" aria-label="Selected issues">
  <span data-count>Selected issues</span>
  <button name="act" value="resolve">${icon('ok')}Resolve</button>
  <button name="act" value="ignore">${icon('pause')}Ignore</button>
  <button name="act" value="reopen">${icon('resume')}Reopen</button>
</div>`
