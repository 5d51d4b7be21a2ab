import type { ErrorMarks, IssueMark, ReleaseMark } from '@probe-mesh/contracts/error-tracking/error-marks'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { named, time } from './measures.ts'
import { table } from './components/table.ts'

const kindWords: Readonly<Record<IssueMark['kind'], string>> = {
  new_issue: 'seen first',
  regression: 'came back',
  spike: 'more events than usual',
}

/** Releases that began in a chart's time, numbered as they are marked in it. */
export const releaseTable = ({ releases, allReleases }: ErrorMarks): Html | null =>
  releases.length === 0
    ? null
    : html`${table<ReleaseMark & { mark: string }>(
        'Releases in this time, newest first',
        [
          { heading: 'Mark', cell: ({ mark }) => mark },
          { heading: 'Release', cell: ({ release }) => named(release) },
          {
            heading: 'Project',
            cell: ({ projectId, projectName }) =>
              html`<a href="/dashboard/errors/${projectId}">${named(projectName)}</a>`,
          },
          { heading: 'First event', cell: ({ firstSeen }) => time(firstSeen) },
        ],
        releases.map((release, index) => ({ ...release, mark: markOf(index) })),
      )}
      ${!allReleases && html`<p>There were more: the newest ${releases.length} are marked.</p>`}`

/** How a release is marked in a chart, and found in the table. */
export const markOf = (index: number): string => `r${index + 1}`

/** What began of errors at the time, newest first. */
export const issueMarksTable = ({ issues, allIssues, asOf }: ErrorMarks, caption: string): Html =>
  issues.length === 0
    ? html`<p>No error issue of the account is known to have begun then; as of ${time(asOf)}.</p>`
    : html`${table<IssueMark>(
          caption,
          [
            { heading: 'What', cell: markedThing },
            { heading: 'How', cell: ({ kind }) => kindWords[kind] },
            {
              heading: 'Project',
              cell: ({ projectId, projectName }) =>
                html`<a href="/dashboard/errors/${projectId}">${named(projectName)}</a>`,
            },
            { heading: 'At', cell: ({ at }) => time(at) },
          ],
          issues,
        )}
        <p class="muted">
          ${!allIssues && `There were more: the newest ${issues.length} are shown. `} More events than usual
          are found only where an alert rule looks for them. As of ${time(asOf)}.
        </p>`

const markedThing = ({ projectId, issueId, title }: IssueMark): Html =>
  issueId === null
    ? html`all events of the project`
    : html`<a href="/dashboard/errors/${projectId}/issues/${issueId}">${named(title ?? issueId)}</a>`
