import type { IncidentStatus } from '@probe-mesh/contracts/incident/incident'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'

/** The audience of news: subscribers of the page, and of the affected components. */
export type Audience = {
  accountId: string
  pageId: string
  /** Whether all subscribers get it, also those of single components. */
  wholePage: boolean
  componentIds: readonly string[]
}

/** News with its page and audience. Times are Unix milliseconds. */
export type StoredNews = Audience & {
  pageName: string
  pageSlug: string
  locale: string
  /** The names of the affected components. */
  affected: readonly string[]
  /** The incident or window, for the link. */
  subjectId: string
  title: string
  body: string
}

/** An incident's update. @returns null when it was deleted with its incident or page */
export const findIncidentNews = async (
  db: Connection,
  updateId: string,
): Promise<(StoredNews & { status: IncidentStatus; atMs: number }) | null> => {
  const [row] = await db<(StoredNews & { status: IncidentStatus; atMs: number })[]>`
    select status_pages.account_id as "accountId", status_pages.id as "pageId",
      coalesce(status_pages.title, status_pages.name) as "pageName",
      status_pages.slug as "pageSlug", status_pages.locale, false as "wholePage",
      array(select components.id ${affectedComponents(db)}) as "componentIds",
      array(select components.display_name ${affectedComponents(db)}) as affected,
      incidents.id as "subjectId", incidents.title, updates.body, updates.status,
      (extract(epoch from updates.created_at) * 1000)::float8 as "atMs"
    from incident_updates as updates
      join incidents on incidents.id = updates.incident_id
      join status_pages on status_pages.id = incidents.status_page_id
    where updates.id = ${updateId}`
  return row ?? null
}

const affectedComponents = (db: Connection) => db`
  from components where components.status_page_id = incidents.status_page_id
    and (components.check_id = incidents.check_id or components.check_id in (
      select check_id from incident_members where incident_id = incidents.id
      union all select check_id from incident_components where incident_id = incidents.id))
  order by components.position nulls last, components.created_at, components.id`

export type WindowNews = StoredNews & {
  startsAtMs: number
  endsAtMs: number
  isCancelled: boolean
}

/** A maintenance window. @returns null when it was deleted */
export const findMaintenanceNews = async (db: Connection, windowId: string): Promise<WindowNews | null> => {
  const [row] = await db<WindowNews[]>`
    select status_pages.account_id as "accountId", status_pages.id as "pageId",
      coalesce(status_pages.title, status_pages.name) as "pageName",
      status_pages.slug as "pageSlug", status_pages.locale, windows.whole_page as "wholePage",
      array(select component_id from maintenance_components where window_id = windows.id)
        as "componentIds",
      array(select display_name from maintenance_components as covered
        join components on components.id = covered.component_id
        where window_id = windows.id order by covered.position) as affected,
      windows.id as "subjectId", windows.title, windows.body,
      (extract(epoch from windows.starts_at) * 1000)::float8 as "startsAtMs",
      (extract(epoch from windows.ends_at) * 1000)::float8 as "endsAtMs",
      windows.cancelled_at is not null as "isCancelled"
    from maintenance_windows as windows
      join status_pages on status_pages.id = windows.status_page_id
    where windows.id = ${windowId}`
  return row ?? null
}

export type Recipient = { id: string; email: string }

/**
 * The subscribers of an audience who had confirmed when the news was written, in order of address, each address once:
 * what is sent later is nothing new to who confirms meanwhile, and may be over by then.
 * @param afterEmail the last address of the previous chunk; empty for the first chunk
 */
export const findRecipients = async (
  db: Connection,
  { pageId, wholePage, componentIds }: Audience,
  writtenAtMs: number,
  afterEmail: string,
  limit: number,
): Promise<Recipient[]> =>
  await db<Recipient[]>`
    select distinct on (lower(email)) id, email from subscribers
    where status_page_id = ${pageId} and confirmed_at <= ${new Date(writtenAtMs)}
      and lower(email) > lower(${afterEmail})
      and (${wholePage} or component_id is null or component_id = any(${[...componentIds]}::uuid[]))
    order by lower(email), component_id nulls first
    limit ${limit}`

/** Locks an open outbox row. @returns when it was written, Unix ms; null when another process has finished it */
export const lockOutboxRow = async (tx: Transaction, id: string): Promise<number | null> => {
  const [row] = await tx<{ writtenAtMs: number }[]>`
    select (extract(epoch from created_at) * 1000)::float8 as "writtenAtMs"
    from outbox where id = ${id} and done_at is null for update`
  return row?.writtenAtMs ?? null
}
