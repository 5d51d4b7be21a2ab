import type { Connection, Transaction } from '../stores/postgres/connect.ts'

/**
 * The published components that these incidents affect, by incident: those of their checks, members and named
 * checks. Components that are down come first, each part in the order of the page.
 */
export const findAffected = async (
  db: Connection,
  incidentIds: readonly string[],
): Promise<Map<string, string[]>> => {
  if (incidentIds.length === 0) return new Map()
  const rows = await db<{ incident_id: string; component_id: string }[]>`
    select incidents.id as incident_id, components.id as component_id
    from incidents join components on components.status_page_id = incidents.status_page_id
      left join incident_members as members
        on members.incident_id = incidents.id and members.check_id = components.check_id
    where incidents.id = any(${[...incidentIds]}::uuid[])
      and (members.check_id is not null or components.check_id = incidents.check_id or exists (
        select from incident_components as named
        where named.incident_id = incidents.id and named.check_id = components.check_id))
    order by incidents.id,
      coalesce(members.recovered_at is null and incidents.resolved_at is null
        and members.check_id is not null, false) desc,
      components.position nulls last, components.created_at, components.id`
  const byIncident = Map.groupBy(rows, (row) => row.incident_id)
  return new Map([...byIncident].map(([id, found]) => [id, found.map((row) => row.component_id)]))
}

/** Replaces the checks that the owner of an incident names. */
export const writeNamedChecks = async (
  tx: Transaction,
  incident: { id: string; accountId: string },
  checkIds: readonly string[],
): Promise<void> => {
  await tx`delete from incident_components where incident_id = ${incident.id}`
  await tx`
    insert into incident_components (incident_id, check_id, account_id, position)
    select ${incident.id}, check_id, ${incident.accountId}, position
    from unnest(${[...checkIds]}::uuid[]) with ordinality as named (check_id, position)`
}

/** Locks checks, in one order, so that none is deleted before the transaction ends. */
export const holdChecks = async (tx: Transaction, checkIds: readonly string[]): Promise<void> => {
  await tx`
    select from checks where id = any(${[...checkIds]}::uuid[]) order by id for key share`
}

/** The checks that a page publishes. */
export const findPublishedChecks = async (db: Connection, statusPageId: string): Promise<string[]> => {
  const rows = await db<{ check_id: string }[]>`
    select check_id from components where status_page_id = ${statusPageId}`
  return rows.map((row) => row.check_id)
}
