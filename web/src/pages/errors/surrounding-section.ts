import { surroundingMax } from '@probe-mesh/contracts/error-tracking/error-issue-acts'
import type { CheckFailure, ErrorSurroundings } from '@probe-mesh/contracts/error-tracking/error-issue-acts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { exactTime, named, none, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { checkWords, tag } from '../../html/components/tag.ts'

/** Failing checks and incidents of the minutes in which an issue was seen. */
export const surroundingSection = ({ spans, failures, incidents, complete }: ErrorSurroundings): Html => html`
  <h2>What else went wrong</h2>
  <p>
    Five minutes before and after it was seen first and last:
    ${spans.map(({ since, until }, index) => [index > 0 && ', and ', exactTime(since), ' to ', exactTime(until)])}.
    That something failed at the same time does not say that one is the cause of the other.
  </p>
  ${
    failures.length === 0
      ? html`<p>No check of the account was found down or degraded then.</p>`
      : table<CheckFailure>(
          'Checks that were not operational, newest first',
          [
            {
              heading: 'Check',
              cell: ({ checkId, checkName }) =>
                html`<a href="/dashboard/checks/${checkId}">${named(checkName)}</a>`,
            },
            { heading: 'Status', cell: ({ status }) => tag(checkWords[status]) },
            { heading: 'Why', cell: ({ reason }) => (reason === null ? none : named(reason)) },
            { heading: 'Since', cell: ({ since }) => time(since) },
            {
              heading: 'Until',
              cell: ({ until }) => (until === null ? 'it still is' : time(until)),
            },
          ],
          failures,
        )
  }
  ${
    incidents.length === 0
      ? html`<p>No incident of the account was open then.</p>`
      : table(
          'Incidents that were open, newest first',
          [
            {
              heading: 'Incident',
              cell: ({ id, title }) => html`<a href="/dashboard/incidents/${id}">${named(title)}</a>`,
            },
            { heading: 'Since', cell: ({ startedAt }) => time(startedAt) },
            {
              heading: 'Resolved',
              cell: ({ resolvedAt }) => (resolvedAt === null ? 'not yet' : time(resolvedAt)),
            },
          ],
          incidents,
        )
  }
  ${!complete && html`<p>There were more: only the newest ${surroundingMax} of each are shown.</p>`}
`
