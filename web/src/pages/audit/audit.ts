import type { AuditEntry } from '@probe-mesh/contracts/audit'
import { html } from '../../html/html.ts'
import type { Html } from '../../html/html.ts'
import { named, none, time } from '../../html/measures.ts'
import { table } from '../../html/table.ts'
import { refused } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { pageLinks, partOf } from '../paging.ts'
import type { Part } from '../paging.ts'

/** The most that the API gives of the log. */
const entriesMax = 500

/** Who wrote what, and from where. */
export const auditRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path: '/dashboard/audit',
    serve: async ({ ask, query }) => {
      const answer = await ask('listAudit', { query: { limit: entriesMax } })
      if (!answer.ok) return refused(answer)
      const main = auditPage(partOf(answer.value.entries, query.get('page')))
      return { kind: 'page', title: 'Audit log', area: 'audit', main }
    },
  },
]

const kinds: Readonly<Record<AuditEntry['actor']['kind'], string>> = {
  key: 'API key',
  user: 'user',
  operator: 'operator',
}

const auditPage = (part: Part<AuditEntry>): Html => html`
  <p>
    Every write of the account, newest first.
    ${part.total === entriesMax && `Only the newest ${entriesMax} are shown.`}
  </p>
  ${
    part.total === 0
      ? html`<p>Nothing was written yet.</p>`
      : table(
          'Writes, newest first',
          [
            { heading: 'When', cell: ({ at }) => time(at) },
            { heading: 'Who', cell: ({ actor }) => [kinds[actor.kind], ' ', named(actor.name)] },
            { heading: 'What', cell: ({ action }) => action },
            {
              heading: 'Which',
              cell: ({ resourceType, resourceId }) => [resourceType, ' ', named(resourceId)],
            },
            { heading: 'From', cell: ({ actor }) => actor.address ?? none },
          ],
          part.rows,
        )
  }
  ${pageLinks(part, '/dashboard/audit', {})}
`
