import type { IncidentRecord, IncidentUpdateRecord } from '../../incidents/incident.ts'
import type { WindowRecord } from '../../maintenance/window.ts'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'
import { incidentColumns } from '../../incidents/incidents-store.ts'
import { updateColumns } from '../../incidents/incident-updates-store.ts'
import { windowColumns } from '../../maintenance/maintenance-store.ts'
import type { Connection } from '../../stores/postgres/connect.ts'

/** The incidents that a page shows: open ones first, then the newest others. */
export const findIncidentsToShow = async (
  db: Connection,
  statusPageId: string,
  limit: number,
): Promise<IncidentRecord[]> =>
  await db<IncidentRecord[]>`
    select ${incidentColumns(db)} from incidents where status_page_id = ${statusPageId}
    order by resolved_at is null desc, started_at desc, id desc limit ${limit}`

/**
 * The updates of these incidents, newest first, up to `charactersMax` characters in total. The newest update
 * of every incident comes before the second newest of any.
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
    select ${updateColumns(db)} from summed where characters <= ${charactersMax} order by sequence desc`

/** A page's maintenance windows, the one that ends last first: scheduled, active, ended. */
export const findWindowsToShow = async (
  db: Connection,
  statusPageId: string,
  limit: number,
): Promise<WindowRecord[]> =>
  await db<WindowRecord[]>`
    select ${windowColumns(db)} from maintenance_windows where status_page_id = ${statusPageId} and cancelled_at is null
    order by ends_at desc, id desc limit ${limit}`

/**
 * The windows of a page's calendar, cancelled ones too, by their start: all that end after an instant, and of
 * too many the last ones.
 */
export const findCalendarWindows = async (
  db: Connection,
  statusPageId: string,
  { sinceMs, limit }: { sinceMs: number; limit: number },
): Promise<WindowRecord[]> =>
  await db<WindowRecord[]>`
    select * from (
      select ${windowColumns(db)} from maintenance_windows
      where status_page_id = ${statusPageId} and ends_at >= ${new Date(sinceMs)}
      order by ends_at desc, id desc limit ${limit}) as last
    order by "startsAtMs", id`

/**
 * When incidents of a page were open for these checks since `sinceMs`. An automatic incident counts for a
 * member while that was down, an incident for the checks that its author names from begin to end. `toMs`
 * null: still open.
 */
export const findIncidentSpans = async (
  db: Connection,
  statusPageId: string,
  { checkIds, sinceMs, limit }: { checkIds: readonly string[]; sinceMs: number; limit: number },
): Promise<{ checkId: string; fromMs: number; toMs: number | null }[]> =>
  await db`
    select "checkId", ${epochMs(db, 'from_at')} as "fromMs", ${epochMs(db, 'to_at')} as "toMs"
    from (
      select affected.check_id as "checkId", coalesce(affected.down_at, started_at) as from_at,
        coalesce(affected.recovered_at, resolved_at) as to_at
      from incidents cross join lateral (
        select check_id, down_at, recovered_at from incident_members where incident_id = incidents.id
        union all
        select check_id, null, null
        from (
          select incidents.check_id
          where not exists (select from incident_members where incident_id = incidents.id)
          union select check_id from incident_components where incident_id = incidents.id) as named
        where not exists (
          select from incident_members as members
          where members.incident_id = incidents.id and members.check_id = named.check_id)) as affected
      where status_page_id = ${statusPageId}
        and (resolved_at is null or resolved_at >= ${new Date(sinceMs)})) as open
    where "checkId" = any(${[...checkIds]}::uuid[])
    order by from_at desc limit ${limit}`

/** The incidents of a page that started in [fromMs, toMs), newest first. */
export const findIncidentsBetween = async (
  db: Connection,
  statusPageId: string,
  { fromMs, toMs, limit }: { fromMs: number; toMs: number; limit: number },
): Promise<IncidentRecord[]> =>
  await db<IncidentRecord[]>`
    select ${incidentColumns(db)} from incidents
    where status_page_id = ${statusPageId}
      and started_at >= ${new Date(fromMs)} and started_at < ${new Date(toMs)}
    order by started_at desc, id desc limit ${limit}`

/** An incident of this page. One of another page is null like a missing one. */
export const findIncidentOfPage = async (
  db: Connection,
  statusPageId: string,
  incidentId: string,
): Promise<IncidentRecord | null> => {
  const [row] = await db<IncidentRecord[]>`
    select ${incidentColumns(db)} from incidents
    where id = ${incidentId} and status_page_id = ${statusPageId}`
  return row ?? null
}

/** The start times of the nearest incidents before and after [fromMs, toMs). */
export const findNeighbours = async (
  db: Connection,
  statusPageId: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<{ olderMs: number | null; newerMs: number | null }> => {
  const [row] = await db<{ olderMs: number | null; newerMs: number | null }[]>`
    select ${epochMs(db, db`max(started_at) filter (where started_at < ${new Date(fromMs)})`)} as "olderMs",
      ${epochMs(db, db`min(started_at) filter (where started_at >= ${new Date(toMs)})`)} as "newerMs"
    from incidents where status_page_id = ${statusPageId}`
  return row ?? { olderMs: null, newerMs: null }
}

/**
 * The maintenance of a page after `sinceMs`. A window counts from its announcement, so that published
 * measurements stay.
 */
export const findMaintenanceSpans = async (
  db: Connection,
  statusPageId: string,
  { sinceMs, limit }: { sinceMs: number; limit: number },
): Promise<{ fromMs: number; toMs: number; wholePage: boolean; componentIds: string[] }[]> =>
  await db`
    select greatest(${epochMs(db, 'starts_at')}, ${epochMs(db, 'created_at')}) as "fromMs",
      ${epochMs(db, 'ends_at')} as "toMs", whole_page as "wholePage",
      array(select component_id from maintenance_components
        where window_id = maintenance_windows.id) as "componentIds"
    from maintenance_windows
    where status_page_id = ${statusPageId} and ends_at >= ${new Date(sinceMs)}
    order by ends_at desc limit ${limit}`
