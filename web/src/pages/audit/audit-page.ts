import type { AuditEntry } from '@probe-mesh/contracts/account/audit'
import type { Palette } from '@probe-mesh/contracts/overview/overview'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { emptyState } from '../../html/components/card.ts'
import { icon } from '../../html/components/icon.ts'
import { chips } from '../../html/components/page-head.ts'
import { rowsTable } from '../../html/components/rows.ts'
import { named, none, time } from '../../html/measures.ts'
import { actionWords } from './action-words.ts'

export const entriesShown = 100

const kinds: Readonly<Record<AuditEntry['actor']['kind'], string>> = {
  key: 'API key',
  user: 'User',
  operator: 'Operator',
  system: 'By itself',
}

/** The most common types of resources, as the log names them. */
const filters = [
  ['', 'All'],
  ['check', 'Checks'],
  ['alert_rule', 'Alert rules'],
  ['channel', 'Channels'],
  ['status_page', 'Status pages'],
  ['maintenance', 'Maintenance'],
  ['key', 'Keys'],
  ['member', 'Members'],
  ['session', 'Sessions'],
] as const

type Sought = { what: string; who: string }
type Shown = Sought & { isFirst: boolean; names: Palette | null }

/** @param entries newest first, one more than shown if older ones exist */
export const auditPage = (entries: readonly AuditEntry[], { what, who, isFirst, names }: Shown): Html => {
  const shown = entries.slice(0, entriesShown)
  const last = entries.length > shown.length ? shown.at(-1) : undefined
  const isSought = what !== '' || who !== ''
  const places = names === null ? new Map<string, Place>() : placesOf(names)
  return html`
    <div class="toolbar">
      <form method="get" action="/dashboard/audit" role="search">
        <label class="unseen" for="what">Action, kind or id</label>
        <input id="what" name="what" type="search" value="${what}" placeholder="Action, kind or id" />
        <label class="unseen" for="who">Person, key or address</label>
        <input id="who" name="who" type="search" value="${who}" placeholder="Person, key or address" />
        <button type="submit">${icon('search')}Search</button>
        ${isSought && html`<a href="/dashboard/audit">Show all</a>`}
      </form>
    </div>
    <div class="toolbar">
      ${chips(
        'Entries by kind',
        filters.map(([value, text]) => ({
          path: pathOf({ what: value, who }, null),
          text,
          isCurrent: what === value,
        })),
      )}
    </div>
    ${shown.length === 0 ? emptyOf({ isSought, isFirst }) : rowsTable('Entries, newest first', columnsOf(places), shown)}
    <p class="actions">
      ${!isFirst && html`<a href="${pathOf({ what, who }, null)}">Newest</a>`}
      ${last !== undefined && html`<a href="${pathOf({ what, who }, last.id)}">Older</a>`}
    </p>
  `
}

const emptyOf = ({ isSought, isFirst }: { isSought: boolean; isFirst: boolean }): Html =>
  !isSought && isFirst
    ? emptyState({
        icon: 'audit',
        title: 'No entries yet',
        text: 'Every change of this account appears here.',
        action: { path: '/dashboard/checks/new', text: 'New check' },
      })
    : html`<div class="empty">
        <p class="empty-title">${isSought ? 'No entry matches' : 'No older entries'}</p>
        <p><a href="/dashboard/audit">Show all entries</a></p>
      </div>`

type Place = { path: string; name: string }

/** The page of each thing that still exists. */
const placesOf = ({ checks, statusPages, channels, rules }: Palette): Map<string, Place> => {
  const rowsOf = (rows: readonly (readonly [string, string, ...unknown[]])[], path: string) =>
    rows.map(([id, name]) => [id, { path: `/dashboard/${path}/${id}`, name }] as const)
  return new Map([
    ...rowsOf(checks, 'checks'),
    ...rowsOf(statusPages, 'pages'),
    ...rowsOf(channels, 'channels'),
    ...rowsOf(rules, 'rules'),
  ])
}

const columnsOf = (places: ReadonlyMap<string, Place>) => [
  { heading: 'Action', cell: ({ action }: AuditEntry): Piece => actionWords(action) },
  { heading: 'Resource', cell: (entry: AuditEntry): Piece => resourceOf(entry, places) },
  {
    heading: 'By',
    cell: ({ actor }: AuditEntry): Piece =>
      html`${named(actor.name)} <span class="target">${kinds[actor.kind]}</span>`,
  },
  { heading: 'Address', cell: ({ actor }: AuditEntry): Piece => actor.address ?? none },
  { heading: 'Time', cell: ({ at }: AuditEntry): Piece => time(at) },
]

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
const shortIdCharacters = 8

/** The name of an existing thing; else the end of its id, to tell it from others. */
const resourceOf = ({ resourceType, resourceId }: AuditEntry, places: ReadonlyMap<string, Place>): Html => {
  const place = places.get(resourceId)
  if (place !== undefined) return html`<a href="${place.path}">${named(place.name)}</a>`
  const id = uuid.test(resourceId) ? `…${resourceId.slice(-shortIdCharacters)}` : resourceId
  return html`<span class="muted" title="${resourceId}"
    >${resourceType.replaceAll('_', ' ')} ${named(id)}</span
  >`
}

const pathOf = (sought: Sought, before: string | null): string => {
  const query = new URLSearchParams({ ...sought, ...(before !== null && { before }) }).toString()
  return `/dashboard/audit?${query}`
}
