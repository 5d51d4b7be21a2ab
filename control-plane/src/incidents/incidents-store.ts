import type { IncidentsQuery } from '@probe-mesh/contracts/incident/incident'
import type { IncidentRecord } from './incident.ts'
import { isTaken, type Connection, type Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** The columns of an `IncidentRecord`. */
export const incidentColumns = (db: Connection) => db`
  id, account_id as "accountId", status_page_id as "statusPageId", check_id as "checkId", region, title,
  status, source, measured_impact as "measuredImpact", posted_impact as "postedImpact",
  ${epochMs(db, 'started_at')} as "startedAtMs",
  ${epochMs(db, 'resolved_at')} as "resolvedAtMs"`

/** Incidents of an account, newest first. @param filter.after start and id of the last one of the previous page */
export const findIncidents = async (
  db: Connection,
  accountId: string,
  filter: Omit<IncidentsQuery, 'limit' | 'cursor'> & { limit: number; after?: [number, string] | undefined },
): Promise<IncidentRecord[]> => {
  const { limit, after, status, open, source, statusPageId, checkId } = filter
  const none = db``
  return await db<IncidentRecord[]>`
    select ${incidentColumns(db)} from incidents where account_id = ${accountId}
      ${after === undefined ? none : db`and (started_at, id) < (${new Date(after[0])}, ${after[1]}::uuid)`}
      ${status === undefined ? none : db`and status = ${status}`}
      ${open === undefined ? none : db`and (resolved_at is null) = ${open === 'true'}`}
      ${source === undefined ? none : db`and source = ${source}`}
      ${statusPageId === undefined ? none : db`and status_page_id = ${statusPageId}`}
      ${
        checkId === undefined
          ? none
          : db`and (check_id = ${checkId} or exists (select from incident_members
              where incident_id = incidents.id and incident_members.check_id = ${checkId}))`
      }
    order by started_at desc, id desc limit ${limit}`
}

/** Open incidents, which decide the state of a page: those of the worst impact, `limit` of each page. */
export const findOpenOfPages = async (
  db: Connection,
  statusPageIds: readonly string[],
  limit: number,
): Promise<IncidentRecord[]> => {
  return await db<IncidentRecord[]>`
    select open.* from unnest(${[...statusPageIds]}::uuid[]) as pages (id) cross join lateral (
      select ${incidentColumns(db)} from incidents
      where status_page_id = pages.id and resolved_at is null
      order by array_position('{critical,major,minor,none}'::text[], coalesce(posted_impact,
        measured_impact, case source when 'automatic' then 'major' else 'minor' end)),
        started_at desc, id desc
      limit ${limit}) as open`
}

/** One incident of an account. Another account's is null like a missing one. */
export const findIncident = async (
  db: Connection,
  accountId: string,
  incidentId: string,
): Promise<IncidentRecord | null> => {
  const [row] = await db<IncidentRecord[]>`
    select ${incidentColumns(db)} from incidents where id = ${incidentId} and account_id = ${accountId}`
  return row ?? null
}

/** The incident, locked until the transaction ends, so that its updates are ordered. */
export const lockIncident = async (
  tx: Transaction,
  accountId: string,
  incidentId: string,
): Promise<IncidentRecord | null> => {
  const [row] = await tx<IncidentRecord[]>`
    select ${incidentColumns(tx)} from incidents where id = ${incidentId} and account_id = ${accountId}
    for no key update`
  return row ?? null
}

/**
 * Incidents of locked pages, locked until the transaction ends. The check of an incident is locked before it,
 * and the incident before its members, as when the check is deleted, so that there is no deadlock.
 * @returns those that still exist
 */
export const lockIncidents = async (
  tx: Transaction,
  incidentIds: readonly string[],
): Promise<IncidentRecord[]> => {
  if (incidentIds.length === 0) return []
  const ids = [...incidentIds]
  await tx`
    select from checks where id in (select check_id from incidents where id = any(${ids}::uuid[]))
    order by id for key share`
  return await tx<IncidentRecord[]>`
    select ${incidentColumns(tx)} from incidents where id = any(${ids}::uuid[]) order by id for no key update`
}

/**
 * A check's open automatic incidents, one for each page, locked until the transaction ends.
 * @param statusPageId null: of every page
 */
export const lockOpenAutomatic = async (
  tx: Transaction,
  checkId: string,
  statusPageId: string | null = null,
): Promise<IncidentRecord[]> => {
  return await tx<IncidentRecord[]>`
    select ${incidentColumns(tx)} from incidents
    where check_id = ${checkId} and source = 'automatic' and resolved_at is null
      and (${statusPageId}::uuid is null or status_page_id = ${statusPageId})
    order by id for no key update`
}

/**
 * An open manual incident since `sinceMs` with the same content, or null. The lock of the page keeps the
 * answer valid.
 */
export const findSameIncident = async (
  tx: Transaction,
  { statusPageId, checkId, region, title }: IncidentRecord,
  openingBody: string,
  sinceMs: number,
): Promise<IncidentRecord | null> => {
  const [row] = await tx<IncidentRecord[]>`
    select ${incidentColumns(tx)} from incidents
    where status_page_id = ${statusPageId} and check_id = ${checkId}
      and region is not distinct from ${region}
      and title = ${title} and source = 'manual' and resolved_at is null
      and started_at > ${new Date(sinceMs)}
      and ${openingBody} = (
        select body from incident_updates where incident_id = incidents.id order by sequence limit 1)
    order by started_at desc, id desc limit 1`
  return row ?? null
}

export const insertIncident = async (tx: Transaction, incident: IncidentRecord): Promise<void> => {
  const { startedAtMs, resolvedAtMs } = incident
  await tx`
    insert into incidents (id, account_id, status_page_id, check_id, region, title, status, source,
      measured_impact, posted_impact, started_at, resolved_at, created_at)
    values (${incident.id}, ${incident.accountId}, ${incident.statusPageId}, ${incident.checkId},
      ${incident.region}, ${incident.title}, ${incident.status}, ${incident.source},
      ${incident.measuredImpact}, ${incident.postedImpact}, ${new Date(startedAtMs)}, ${resolvedAtMs === null ? null : new Date(resolvedAtMs)},
      ${new Date(startedAtMs)})`
}

/** @throws the unique violation that `isAnotherOpen` recognises */
export const updateIncident = async (
  tx: Transaction,
  { id, checkId, region, title, status, measuredImpact, postedImpact, resolvedAtMs }: IncidentRecord,
): Promise<void> => {
  await tx`
    update incidents set check_id = ${checkId}, region = ${region}, title = ${title},
      status = ${status}, measured_impact = ${measuredImpact}, posted_impact = ${postedImpact},
      resolved_at = ${resolvedAtMs === null ? null : new Date(resolvedAtMs)}
    where id = ${id}`
}

/** Whether reopening failed because the check has a newer open automatic incident on the page. */
export const isAnotherOpen = (error: unknown): boolean => isTaken(error, 'incidents_open_automatic')
