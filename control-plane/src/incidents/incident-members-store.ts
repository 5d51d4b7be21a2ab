import type { PublicWords } from '@probe-mesh/contracts/status-page/words/public-words'
import { wordsOf } from '@probe-mesh/contracts/status-page/words/words-of'
import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { Failure } from './incident-groups.ts'
import type { IncidentMemberRecord, IncidentRecord } from './incident.ts'
import type { Connection, Fragment, Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'
import { lockIncidents } from './incidents-store.ts'

/** Writes the checks of a locked incident. A check that went down again is down since the new time. */
export const writeMembers = async (
  tx: Transaction,
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
  await tx`
    insert into incident_members (incident_id, check_id, account_id, host, cause, regions, down_at)
    select ${incident.id}, check_id, ${incident.accountId}, host, cause, regions, down_at
    from jsonb_to_recordset(${tx.json(rows)}) as m (check_id uuid, host text, cause text,
      regions text[], down_at timestamptz)
    on conflict (incident_id, check_id) do update set host = excluded.host, cause = excluded.cause,
      regions = excluded.regions, down_at = excluded.down_at, recovered_at = null, left_as = null`
}

/**
 * When a member was last down: when its outage ended, of which this is a view, or `at`. An outage ends with a pause,
 * which nobody measured.
 */
const downUntil = (tx: Transaction, at: Fragment) => tx`
  least(${at}, (
    select ended_at from outages
    where outages.check_id = incident_members.check_id and started_at <= incident_members.down_at
    order by started_at desc limit 1))`

/** A check that is no longer down, with its new status. */
export type LeftCheck = { checkId: string; to: CheckStatus; atMs: number }

/**
 * Marks checks as no longer down, and degraded former members as recovered.
 * @returns the incidents that they leave
 */
export const leaveMembers = async (tx: Transaction, left: readonly LeftCheck[]): Promise<string[]> => {
  const rows = left.map(({ checkId, to, atMs }) => ({
    check_id: checkId,
    left_as: to,
    at: new Date(atMs).toISOString(),
  }))
  const leaving = await tx<{ incident_id: string }[]>`
    select distinct incident_id
    from incident_members join incidents on incidents.id = incident_id
    where incident_members.check_id = any(${left.map(({ checkId }) => checkId)}::uuid[])
      and (recovered_at is null or (left_as = 'degraded' and resolved_at is null))`
  const ids = leaving.map((row) => row.incident_id)
  await lockIncidents(tx, ids)
  const touched = await tx<{ incident_id: string }[]>`
    with gone as (
      select * from jsonb_to_recordset(${tx.json(rows)}) as r (check_id uuid, left_as text,
        at timestamptz)
    ),
    well as (
      update incident_members set left_as = gone.left_as
      from gone
      where incident_members.check_id = gone.check_id and recovered_at is not null
        and incident_members.left_as = 'degraded' and gone.left_as = 'operational'
        and exists (select from incidents where id = incident_id and resolved_at is null)
    )
    update incident_members set recovered_at = ${downUntil(tx, tx`gone.at`)}, left_as = gone.left_as
    from gone
    where incident_members.check_id = gone.check_id and recovered_at is null
    returning incident_id`
  return [...new Set(touched.map((row) => row.incident_id))]
}

/** A member of a locked incident. */
type IncidentMember = {
  checkId: string
  /** null: the page no longer publishes it. */
  displayName: string | null
  isDown: boolean
  /** Unix ms; null: still down. */
  downUntilMs: number | null
  leftAs: CheckStatus | null
}

export type FollowedIncident = {
  incident: IncidentRecord
  members: IncidentMember[]
  /** Of its page. */
  words: PublicWords
}

/** These incidents, locked, with their members in the order they went down. */
export const lockWithMembers = async (
  tx: Transaction,
  incidentIds: readonly string[],
): Promise<FollowedIncident[]> => {
  if (incidentIds.length === 0) return []
  const incidents = await lockIncidents(tx, incidentIds)
  const members = await tx<(IncidentMember & { incidentId: string })[]>`
    select members.incident_id as "incidentId", members.check_id as "checkId",
      components.display_name as "displayName", members.recovered_at is null as "isDown",
      ${epochMs(tx, 'members.recovered_at')} as "downUntilMs", members.left_as as "leftAs"
    from incident_members as members
      join incidents on incidents.id = members.incident_id
      left join components on components.status_page_id = incidents.status_page_id
        and components.check_id = members.check_id
    where members.incident_id = any(${incidents.map(({ id }) => id)}::uuid[])
    order by members.down_at, members.check_id`
  const byIncident = Map.groupBy(members, ({ incidentId }) => incidentId)
  const pageIds = incidents.map(({ statusPageId }) => statusPageId)
  const pages = await tx<{ id: string; locale: string }[]>`
    select id, locale from status_pages where id = any(${pageIds}::uuid[])`
  const locales = new Map(pages.map(({ id, locale }) => [id, locale]))
  return incidents.map((incident) => ({
    incident,
    members: byIncident.get(incident.id) ?? [],
    words: wordsOf(locales.get(incident.statusPageId) ?? 'en'),
  }))
}

/** The incidents in which one of these checks is down. */
export const findIncidentsAwaiting = async (
  tx: Transaction,
  checkIds: readonly string[],
): Promise<string[]> => {
  const rows = await tx<{ incident_id: string }[]>`
    select distinct incident_id from incident_members
    where check_id = any(${[...checkIds]}::uuid[]) and recovered_at is null`
  return rows.map((row) => row.incident_id)
}

/**
 * Marks members of open incidents as left when the check is deleted, paused or unpublished. Incidents that
 * another process holds are skipped until the next time.
 */
export const leaveAbandoned = async (
  tx: Transaction,
  { limit, nowMs }: { limit: number; nowMs: number },
): Promise<{ incidentId: string; checkId: string }[]> =>
  await tx<{ incidentId: string; checkId: string }[]>`
    with abandoned as (
      select members.incident_id, members.check_id
      from incident_members as members join incidents on incidents.id = members.incident_id
        join checks as first on first.id = incidents.check_id
      where incidents.source = 'automatic' and incidents.resolved_at is null
        and members.recovered_at is null
        and not exists (
          select from checks
            join components on components.check_id = checks.id
              and components.status_page_id = incidents.status_page_id
          where checks.id = members.check_id and not checks.paused)
      order by members.incident_id, members.check_id limit ${limit}
      for key share of first skip locked for no key update of incidents skip locked
    )
    update incident_members set recovered_at = ${downUntil(tx, tx`${new Date(nowMs)}::timestamptz`)}
    from abandoned
    where incident_members.incident_id = abandoned.incident_id
      and incident_members.check_id = abandoned.check_id
    returning incident_members.incident_id as "incidentId", incident_members.check_id as "checkId"`

/** The checks of these incidents by incident, those that are down first, in the order they went down. */
export const findMembers = async (
  db: Connection,
  incidentIds: readonly string[],
): Promise<Map<string, IncidentMemberRecord[]>> => {
  if (incidentIds.length === 0) return new Map()
  const rows = await db<(IncidentMemberRecord & { incidentId: string })[]>`
    select members.incident_id as "incidentId", members.check_id as "checkId",
      ${epochMs(db, 'members.down_at')} as "downAtMs",
      coalesce(${epochMs(db, 'members.recovered_at')}, ${epochMs(db, 'incidents.resolved_at')}) as "downUntilMs"
    from incident_members as members join incidents on incidents.id = members.incident_id
    where members.incident_id = any(${[...incidentIds]}::uuid[])
    order by coalesce(members.recovered_at, incidents.resolved_at) is not null, members.down_at, members.check_id`
  return Map.groupBy(rows, ({ incidentId }) => incidentId)
}

/**
 * A recovered check may go down for another cause while an incident that it opened is still open. That
 * incident then passes to a member that is still down, whose check stays locked until the transaction ends.
 * @returns whether the check may now open another incident on the page
 */
export const freeFirstCheck = async (
  tx: Transaction,
  { statusPageId, checkId }: { statusPageId: string; checkId: string },
): Promise<boolean> => {
  const [next] = await tx<{ incident_id: string; check_id: string }[]>`
    select incidents.id as incident_id, members.check_id
    from incidents
      join incident_members as members on members.incident_id = incidents.id
      join checks on checks.id = members.check_id
    where incidents.status_page_id = ${statusPageId} and incidents.check_id = ${checkId}
      and incidents.source = 'automatic' and incidents.resolved_at is null
      and members.recovered_at is null and members.check_id <> ${checkId}
      and not exists (
        select from incidents as other
        where other.status_page_id = incidents.status_page_id and other.check_id = members.check_id
          and other.source = 'automatic' and other.resolved_at is null)
    order by members.down_at, members.check_id limit 1
    for key share of checks`
  if (next === undefined) return false
  await tx`
    update incidents set check_id = ${next.check_id} where id = ${next.incident_id}`
  return true
}
