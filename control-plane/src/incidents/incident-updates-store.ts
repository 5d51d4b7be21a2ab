import type { IncidentUpdateRecord } from './incident.ts'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** The columns of an `IncidentUpdateRecord`. */
export const updateColumns = (db: Connection) => db`
  id, incident_id as "incidentId", status, body, ${epochMs(db, 'created_at')} as "createdAtMs"`

/**
 * The timelines of these incidents, each newest first, by incident id. An incident without one has no entry.
 */
export const findIncidentUpdates = async (
  db: Connection,
  incidentIds: readonly string[],
): Promise<Map<string, IncidentUpdateRecord[]>> => {
  if (incidentIds.length === 0) return new Map()
  const rows = await db<IncidentUpdateRecord[]>`
    select ${updateColumns(db)} from incident_updates
    where incident_id = any(${[...incidentIds]}::uuid[])
    order by incident_id, sequence desc`
  return Map.groupBy(rows, ({ incidentId }) => incidentId)
}

/** The number of updates, and whether the latest one has the same content and is newer than `sinceMs`. */
export const findSubmission = async (
  tx: Transaction,
  { incidentId, status, body }: Pick<IncidentUpdateRecord, 'incidentId' | 'status' | 'body'>,
  sinceMs: number,
): Promise<{ updates: number; isRepeated: boolean }> => {
  const [row] = await tx<{ updates: number; is_repeated: boolean }[]>`
    select (select count(*)::integer from incident_updates where incident_id = ${incidentId}) as updates,
      coalesce((
        select status = ${status} and body = ${body} and created_at > ${new Date(sinceMs)}
        from incident_updates where incident_id = ${incidentId}
        order by sequence desc limit 1), false) as is_repeated`
  return { updates: row?.updates ?? 0, isRepeated: row?.is_repeated ?? false }
}

export const insertIncidentUpdate = async (
  tx: Transaction,
  accountId: string,
  update: IncidentUpdateRecord,
): Promise<void> => {
  await tx`
    insert into incident_updates (id, account_id, incident_id, status, body, created_at)
    values (${update.id}, ${accountId}, ${update.incidentId}, ${update.status}, ${update.body},
      ${new Date(update.createdAtMs)})`
}

export const countUpdates = async (tx: Transaction, incidentId: string): Promise<number> => {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from incident_updates where incident_id = ${incidentId}`
  return row?.count ?? 0
}
