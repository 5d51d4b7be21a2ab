import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { AddIncidentUpdateInput } from '@probe-mesh/contracts/incident/incident'
import { incidentEvent } from './incident.ts'
import type { IncidentRecord, IncidentUpdateRecord } from './incident.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { insertIncidentUpdate } from './incident-updates-store.ts'
import { insertOutbox } from '../stores/outbox-store.ts'

/**
 * Writes what a person says of an incident, and what must be told of it: mail to the page's
 * subscribers, an event to streams. All of it in the transaction of the incident.
 * @param incident as this update leaves it
 */
export const tellIncidentUpdate = async (
  tx: Transaction,
  incident: IncidentRecord,
  { status, body }: AddIncidentUpdateInput,
  nowMs: number,
): Promise<void> => {
  const update: IncidentUpdateRecord = {
    id: uuidv7(nowMs),
    incidentId: incident.id,
    status,
    body,
    createdAtMs: nowMs,
  }
  await insertIncidentUpdate(tx, incident.accountId, update)
  await insertOutbox(tx, 'mail', { about: 'incident_update', id: update.id }, nowMs)
  await insertOutbox(tx, 'incident', incidentEvent(incident, update), nowMs)
}
