import type { AuditEntry } from '@probe-mesh/contracts/account/audit'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { named, none, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'

export const entriesShown = 100

const kinds: Readonly<Record<AuditEntry['actor']['kind'], string>> = {
  key: 'API key',
  user: 'user',
  operator: 'operator',
}

type Shown = { what: string; who: string; isFirst: boolean }

/** @param entries newest first, one more than is shown where there are older ones */
export const auditPage = (entries: readonly AuditEntry[], { what, who, isFirst }: Shown): Html => {
  const shown = entries.slice(0, entriesShown)
  const last = entries.length > shown.length ? shown.at(-1) : undefined
  const isSought = what !== '' || who !== ''
  return html`
    <p>Every write of the account, newest first.</p>
    <form method="get" action="/dashboard/audit" role="search">
      <p class="actions">
        <label for="what">What: an act, a type or an id</label>
        <input id="what" name="what" type="search" value="${what}" />
      </p>
      <p class="actions">
        <label for="who">Who: a name, a kind or an address</label>
        <input id="who" name="who" type="search" value="${who}" />
      </p>
      <p class="actions">
        <button type="submit">Find</button>
        ${isSought && html`<a href="/dashboard/audit">Show all</a>`}
      </p>
    </form>
    ${
      shown.length === 0
        ? html`<p>
            ${isSought ? 'No write is like that.' : isFirst ? 'Nothing was written yet.' : 'There is no older write.'}
          </p>`
        : table(
            isSought ? 'Writes like that, newest first' : 'Writes, newest first',
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
            shown,
          )
    }
    <p class="actions">
      ${!isFirst && html`<a href="${pathOf({ what, who }, null)}">Newest</a>`}
      ${last !== undefined && html`<a href="${pathOf({ what, who }, last.id)}">Older</a>`}
    </p>
  `
}

const pathOf = (sought: { what: string; who: string }, before: string | null): string => {
  const query = new URLSearchParams({ ...sought, ...(before !== null && { before }) }).toString()
  return `/dashboard/audit?${query}`
}
