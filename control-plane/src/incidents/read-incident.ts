import type { Incident } from '@probe-mesh/contracts/incident/incident'
import { describeIncident } from './incident.ts'
import type { IncidentRecord } from './incident.ts'
import type { Connection } from '../stores/postgres/connect.ts'
import { findMembers } from './incident-members-store.ts'
import { findIncidentUpdates } from './incident-updates-store.ts'

/** An incident with its timeline and its members, read where it is shown or has just been written. */
export const readIncident = async (db: Connection, incident: IncidentRecord): Promise<Incident> => {
  const ids = [incident.id]
  const updates = await findIncidentUpdates(db, ids)
  const members = await findMembers(db, ids)
  return describeIncident(incident, updates.get(incident.id) ?? [], members.get(incident.id) ?? [])
}
