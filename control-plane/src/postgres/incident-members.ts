import { uuidv7 } from '@probe-mesh/contracts/ids'
import type { IncidentStatus } from '@probe-mesh/contracts/incident'
import type { Failure, OpenIncident } from '../alerts/incident-groups.ts'
import { groupingMs } from '../alerts/incident-groups.ts'
import { afterUpdate, incidentEvent } from '../pages/incident.ts'
import type { IncidentRecord, IncidentUpdateRecord } from '../pages/incident.ts'
import type { Transaction } from './connect.ts'
import { insertIncidentUpdate } from './incident-updates.ts'
import { updateIncident } from './incidents.ts'
import { insertOutbox } from './outbox.ts'

/** A check as a page publishes it. */
export type PublishedCheck = { checkId: string; statusPageId: string; displayName: string }

/**
 * Where these checks are published. The pages are locked until the transaction ends: what one cause
 * opens on a page is decided by one at a time.
 */
export const lockPagesOfChecks = async (
  transaction: Transaction,
  checkIds: readonly string[],
): Promise<PublishedCheck[]> => {
  const ids = [...checkIds]
  await transaction`
    select from status_pages
    where id in (select status_page_id from components where check_id = any(${ids}::uuid[]))
    order by id for no key update`
  const rows = await transaction<
    { check_id: string; status_page_id: string; display_name: string }[]
  >`
    select check_id, status_page_id, display_name from components
    where check_id = any(${ids}::uuid[]) order by status_page_id, check_id`
  return rows.map((row) => ({
    checkId: row.check_id,
    statusPageId: row.status_page_id,
    displayName: row.display_name,
  }))
}

/** The open automatic incidents of these pages with those members that a failure may join. */
export const findJoinable = async (
  transaction: Transaction,
  statusPageIds: readonly string[],
  failures: readonly Failure[],
): Promise<OpenIncident[]> => {
  const since = Math.min(...failures.map(({ downAtMs }) => downAtMs)) - groupingMs
  const rows = await transaction<
    {
      incident_id: string
      status_page_id: string
      check_id: string
      host: string | null
      cause: string
      regions: string[]
      down_at: Date
    }[]
  >`
    select incidents.id as incident_id, incidents.status_page_id, members.check_id, members.host,
      members.cause, members.regions, members.down_at
    from incidents join incident_members as members on members.incident_id = incidents.id
    where incidents.status_page_id = any(${[...statusPageIds]}::uuid[])
      and incidents.source = 'automatic' and incidents.resolved_at is null
      and (members.down_at >= ${new Date(since)}
        or members.check_id = any(${failures.map(({ checkId }) => checkId)}::uuid[]))
    order by incidents.started_at, incidents.id`
  return [...Map.groupBy(rows, (row) => row.incident_id)].map(([incidentId, members]) => ({
    incidentId,
    statusPageId: members[0]?.status_page_id ?? '',
    members: members.map((row) => ({
      checkId: row.check_id,
      cause: { host: row.host, text: row.cause, regions: row.regions },
      downAtMs: row.down_at.getTime(),
    })),
  }))
}

/** Notes which checks an incident is about. One that went down again is down since then. */
export const writeMembers = async (
  transaction: Transaction,
  incident: { id: string; accountId: string },
  failures: readonly Failure[],
): Promise<void> => {
  const rows = failures.map(({ checkId, cause, downAtMs }) => ({
    check_id: checkId,
    host: cause.host,
    cause: cause.text,
    regions: cause.regions,
    down_at: new Date(downAtMs).toISOString(),
  }))
  await transaction`
    insert into incident_members (incident_id, check_id, account_id, host, cause, regions, down_at)
    select ${incident.id}, check_id, ${incident.accountId}, host, cause, regions, down_at
    from jsonb_to_recordset(${transaction.json(rows)}) as m (check_id uuid, host text, cause text,
      regions text[], down_at timestamptz)
    on conflict (incident_id, check_id) do update set host = excluded.host, cause = excluded.cause,
      regions = excluded.regions, down_at = excluded.down_at, recovered_at = null`
}

/**
 * Notes that checks have recovered.
 * @returns the open incidents of which they were the last, locked, with the number of their members
 */
export const recoverMembers = async (
  transaction: Transaction,
  recovered: readonly { checkId: string; atMs: number }[],
): Promise<{ incident: IncidentRecord; members: number }[]> => {
  const rows = recovered.map(({ checkId, atMs }) => ({
    check_id: checkId,
    at: new Date(atMs).toISOString(),
  }))
  const touched = await transaction<{ incident_id: string }[]>`
    update incident_members set recovered_at = r.at
    from jsonb_to_recordset(${transaction.json(rows)}) as r (check_id uuid, at timestamptz)
    where incident_members.check_id = r.check_id and recovered_at is null
    returning incident_id`
  const ids = [...new Set(touched.map((row) => row.incident_id))]
  return ids.length === 0 ? [] : lockRecovered(transaction, ids)
}

/** Automatic incidents that nothing keeps open: their checks are gone, paused or unpublished. */
export const lockAbandoned = async (
  transaction: Transaction,
  limit: number,
): Promise<IncidentRecord[]> => {
  const rows = await transaction<IncidentRow[]>`
    select incidents.* from incidents
    where source = 'automatic' and resolved_at is null
      and exists (
        select from incident_members where incident_id = incidents.id and recovered_at is null)
      and not exists (
        select from incident_members as members
          join checks on checks.id = members.check_id
          join components on components.check_id = checks.id
            and components.status_page_id = incidents.status_page_id
        where members.incident_id = incidents.id and recovered_at is null and not checks.paused)
    order by id limit ${limit} for no key update skip locked`
  return rows.map(toIncident)
}

/** Nothing of an incident is waited for any more. */
export const closeMembers = async (
  transaction: Transaction,
  incidentId: string,
  nowMs: number,
): Promise<void> => {
  await transaction`
    update incident_members set recovered_at = ${new Date(nowMs)}
    where incident_id = ${incidentId} and recovered_at is null`
}

/** How long an incident's timeline is. */
export const countUpdates = async (
  transaction: Transaction,
  incidentId: string,
): Promise<number> => {
  const [row] = await transaction<{ count: number }[]>`
    select count(*)::integer as count from incident_updates where incident_id = ${incidentId}`
  return row?.count ?? 0
}

/** Adds to an incident's timeline, and tells streams of it, never subscribers. */
export const sayOfIncident = async (
  transaction: Transaction,
  incident: IncidentRecord,
  said: Pick<IncidentUpdateRecord, 'status' | 'body'>,
  nowMs: number,
): Promise<void> => {
  const update = { ...said, id: uuidv7(nowMs), incidentId: incident.id, createdAtMs: nowMs }
  const after = afterUpdate(incident, update)
  await updateIncident(transaction, after)
  await insertIncidentUpdate(transaction, incident.accountId, update)
  await insertOutbox(transaction, 'incident', incidentEvent(after, update), nowMs)
}

const lockRecovered = async (
  transaction: Transaction,
  ids: readonly string[],
): Promise<{ incident: IncidentRecord; members: number }[]> => {
  const rows = await transaction<(IncidentRow & { members: number })[]>`
    select incidents.*,
      (select count(*)::integer from incident_members where incident_id = incidents.id) as members
    from incidents
    where id = any(${[...ids]}::uuid[]) and resolved_at is null
      and not exists (
        select from incident_members where incident_id = incidents.id and recovered_at is null)
    order by id for no key update`
  return rows.map((row) => ({ incident: toIncident(row), members: row.members }))
}

type IncidentRow = {
  id: string
  account_id: string
  status_page_id: string
  check_id: string
  region: string
  title: string
  status: IncidentStatus
  source: IncidentRecord['source']
  started_at: Date
  resolved_at: Date | null
}

const toIncident = (row: IncidentRow): IncidentRecord => ({
  id: row.id,
  accountId: row.account_id,
  statusPageId: row.status_page_id,
  checkId: row.check_id,
  region: row.region,
  title: row.title,
  status: row.status,
  source: row.source,
  startedAtMs: row.started_at.getTime(),
  resolvedAtMs: row.resolved_at?.getTime() ?? null,
})
