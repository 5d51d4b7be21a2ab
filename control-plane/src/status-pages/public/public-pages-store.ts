import type { IncidentRecord, IncidentUpdateRecord } from '../../incidents/incident.ts'
import type { WindowRecord } from '../../maintenance/window.ts'
import type { Connection } from '../../stores/postgres/connect.ts'

const ms = (db: Connection, column: string) =>
  db`(extract(epoch from ${db(column)}) * 1000)::float8`

/** What a page shows of its incidents: those that are open, then the newest others. */
export const findIncidentsToShow = async (
  db: Connection,
  statusPageId: string,
  limit: number,
): Promise<IncidentRecord[]> =>
  await db<IncidentRecord[]>`
    select id, account_id as "accountId", status_page_id as "statusPageId", check_id as "checkId",
      region, title, status, source, ${ms(db, 'started_at')} as "startedAtMs",
      ${ms(db, 'resolved_at')} as "resolvedAtMs"
    from incidents where status_page_id = ${statusPageId}
    order by resolved_at is null desc, started_at desc, id desc limit ${limit}`

/**
 * The timelines of these incidents, newest first: of every incident its newest update, then of every
 * one the update before, until they make `charactersMax` characters.
 */
export const findUpdatesToShow = async (
  db: Connection,
  incidentIds: readonly string[],
  charactersMax: number,
): Promise<IncidentUpdateRecord[]> =>
  await db<IncidentUpdateRecord[]>`
    with ranked as (
      select *, row_number() over (partition by incident_id order by sequence desc) as rank
      from incident_updates where incident_id = any(${[...incidentIds]}::uuid[])
    ),
    summed as (
      select *, sum(length(body)) over (order by rank, sequence desc) as characters from ranked
    )
    select id, incident_id as "incidentId", status, body,
      ${ms(db, 'created_at')} as "createdAtMs"
    from summed where characters <= ${charactersMax} order by sequence desc`

/** A page's maintenance windows, the one that ends last first: to come, active, over. */
export const findWindowsToShow = async (
  db: Connection,
  statusPageId: string,
  limit: number,
): Promise<WindowRecord[]> =>
  await db<WindowRecord[]>`
    select id, account_id as "accountId", status_page_id as "statusPageId", title, body,
      ${ms(db, 'starts_at')} as "startsAtMs", ${ms(db, 'ends_at')} as "endsAtMs",
      ${ms(db, 'created_at')} as "createdAtMs", whole_page as "wholePage",
      array(select component_id from maintenance_components
        where window_id = maintenance_windows.id) as "componentIds"
    from maintenance_windows where status_page_id = ${statusPageId} and cancelled_at is null
    order by ends_at desc, id desc limit ${limit}`
