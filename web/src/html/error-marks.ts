import type { ErrorMarks, IssueMark, ReleaseMark } from '@probe-mesh/error-tracking/contracts/error-marks'
import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import { html, type Html } from '@probe-mesh/runtime/html'
import { named, time } from './measures.ts'
import { table } from './components/table.ts'

/** Whether an answer is the refusal of a server that does not track errors: then its pages do not mention them. */
export const isErrorTrackingOff = (answer: Asked): boolean => !answer.ok && answer.problem.code === 'SV-3008'
type Asked = { ok: true } | { ok: false; problem: Pick<Problem, 'code'> }

const kindWords: Readonly<Record<IssueMark['kind'], string>> = {
  new_issue: 'New issue',
  regression: 'Regression',
  spike: 'Spike',
}

/** Releases first seen in the window of a chart, numbered as in the chart. */
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
      ${!allReleases && html`<p class="muted small-print">Only the newest ${releases.length} releases are marked.</p>`}`

/** The mark of a release in a chart and in its table. */
export const markOf = (index: number): string => `r${index + 1}`

/** New issues, regressions and spikes in a window, newest first. */
export const issueMarksTable = ({ issues, allIssues, asOf }: ErrorMarks, caption: string): Html =>
  issues.length === 0
    ? html`<p class="muted">No error issue began in this time. As of ${time(asOf)}.</p>`
    : html`${table<IssueMark>(
          caption,
          [
            { heading: 'Issue', cell: markedThing },
            { heading: 'Kind', cell: ({ kind }) => kindWords[kind] },
            {
              heading: 'Project',
              cell: ({ projectId, projectName }) =>
                html`<a href="/dashboard/errors/${projectId}">${named(projectName)}</a>`,
            },
            { heading: 'At', cell: ({ at }) => time(at) },
          ],
          issues,
        )}
        <p class="muted small-print">
          ${!allIssues && `Only the newest ${issues.length} are listed. `}Spikes are found only by alert
          rules. As of ${time(asOf)}.
        </p>`

const markedThing = ({ projectId, issueId, title }: IssueMark): Html =>
  issueId === null
    ? html`All events of the project`
    : html`<a href="/dashboard/errors/${projectId}/issues/${issueId}">${named(title ?? issueId)}</a>`
