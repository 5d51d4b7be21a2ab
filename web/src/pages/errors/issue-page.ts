import type {
  ErrorResolution,
  ErrorSurroundings,
} from '@probe-mesh/contracts/error-tracking/error-issue-acts'
import type { ErrorProjectDetails } from '@probe-mesh/contracts/error-tracking/error-project'
import { errorReleasesMax } from '@probe-mesh/contracts/error-tracking/error-tracking'
import type { ErrorIssueDays } from '@probe-mesh/contracts/error-tracking/error-marks'
import type { ErrorIssue } from '@probe-mesh/contracts/error-tracking/error-tracking'
import type { Asked } from '../../api/ask.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { named, none, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { daysSection } from './counts-over-time.ts'
import { number } from './counted.ts'
import { issueWords } from './error-words.ts'
import { occurrenceSection } from './occurrence-section.ts'
import { surroundingSection } from './surrounding-section.ts'
import { usageBanner } from './usage.ts'

type Act = { act: 'resolve' | 'resolveInNext' | 'ignore' | 'reopen'; label: string }

const actsOf = ({ status }: ErrorIssue): Act[] => [
  ...(status === 'resolved'
    ? []
    : ([
        { act: 'resolve', label: 'Resolve' },
        { act: 'resolveInNext', label: 'Resolve in the next release' },
      ] as const)),
  ...(status === 'unresolved' ? ([{ act: 'ignore', label: 'Ignore' }] as const) : []),
  ...(status === 'unresolved' ? [] : ([{ act: 'reopen', label: 'Reopen' }] as const)),
]

const statusText = ({ status }: ErrorIssue, resolution: ErrorResolution): Html => {
  if (status === 'ignored') return html`It goes on being counted, and opens no more by itself.`
  if (status === 'unresolved' || resolution === null) return html``
  const until = resolution.inNextRelease
    ? 'An occurrence of a release that was not known then opens it again.'
    : 'The next occurrence opens it again.'
  return html`Resolved ${time(resolution.at)}. ${until}`
}

/** When it came back, also where it was resolved again since. */
const regressionText = (regression: ErrorSurroundings['regression']): Html | null => {
  if (regression === null) return null
  const { at, release } = regression
  return html`<p>
    It came back
    ${release === null ? 'in an occurrence that names no release' : html`in release ${named(release)}`}, on
    ${time(at)}, after it had been resolved.
  </p>`
}

const releasesSection = ({ releases, occurrences }: ErrorIssue): Html => {
  const counted = releases.reduce((sum, each) => sum + each.occurrences, 0)
  const isCut = releases.length === errorReleasesMax
  return html`
    <h2>Releases</h2>
    ${
      releases.length === 0
        ? html`<p>No occurrence names a release.</p>`
        : table(
            'Occurrences by release, most first',
            [
              { heading: 'Release', cell: ({ release }) => named(release) },
              {
                heading: 'Occurrences',
                isNumber: true,
                cell: (each) => number(each.occurrences),
              },
            ],
            releases,
          )
    }
    ${isCut && html`<p>Only the ${errorReleasesMax} with most occurrences are shown.</p>`}
    ${releases.length > 0 && !isCut && occurrences > counted && html`<p>${number(occurrences - counted)} more name no release.</p>`}
  `
}

/** One issue: what it is, what may be done about it, and what else went wrong at the time. */
export const issuePage = (
  issue: ErrorIssue,
  project: Pick<ErrorProjectDetails, 'name' | 'usage'>,
  surroundings: ErrorSurroundings,
  days: Asked<ErrorIssueDays>,
): Html => html`
  ${usageBanner(project.usage)}
  <p>
    An issue of <a href="/dashboard/errors/${issue.projectId}">${named(project.name)}</a>.
    ${tag(issueWords[issue.status])} ${statusText(issue, surroundings.resolution)}
  </p>
  ${regressionText(surroundings.regression)}
  <dl>
    <dt>Culprit</dt>
    <dd>${issue.culprit === null ? none : named(issue.culprit)}</dd>
    <dt>Occurrences</dt>
    <dd>${number(issue.occurrences)}</dd>
    <dt>First seen</dt>
    <dd>${time(issue.firstSeen)}</dd>
    <dt>Last seen</dt>
    <dd>${time(issue.lastSeen)}</dd>
  </dl>
  <form method="post" action="/dashboard/errors/${issue.projectId}/issues/${issue.id}">
    <p class="actions">
      ${actsOf(issue).map(({ act, label }) => html`<button type="submit" name="act" value="${act}">${label}</button> `)}
    </p>
  </form>
  ${daysSection(days)} ${releasesSection(issue)} ${surroundingSection(surroundings)}
  ${occurrenceSection(issue.recent, issue.occurrences)}
`
