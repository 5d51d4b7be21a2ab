import type { ErrorResolution, ErrorSurroundings } from '@probe-mesh/contracts/error-issue-acts'
import { errorReleasesMax } from '@probe-mesh/contracts/error-tracking'
import type { ErrorIssue } from '@probe-mesh/contracts/error-tracking'
import { html } from '../../html/html.ts'
import type { Html } from '../../html/html.ts'
import { named, none, time } from '../../html/measures.ts'
import { table } from '../../html/table.ts'
import { tag } from '../../html/tag.ts'
import { number } from './counted.ts'
import { issueWords } from './error-words.ts'
import { occurrenceSection } from './occurrence-section.ts'
import { surroundingSection } from './surrounding-section.ts'

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
  projectName: string,
  surroundings: ErrorSurroundings,
): Html => html`
  <p>
    An issue of <a href="/dashboard/errors/${issue.projectId}">${named(projectName)}</a>.
    ${tag(issueWords[issue.status])} ${statusText(issue, surroundings.resolution)}
  </p>
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
  ${releasesSection(issue)} ${surroundingSection(surroundings)}
  ${occurrenceSection(issue.recent, issue.occurrences)}
`
