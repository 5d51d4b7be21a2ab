import type { Incident } from '@probe-mesh/contracts/incident'
import { describeIncident } from '../pages/incident.ts'
import type { IncidentRecord } from '../pages/incident.ts'
import type { Connection } from '../postgres/connect.ts'
import { findIncidentUpdates } from '../postgres/incident-updates.ts'

/** An incident with its timeline, read where it is shown or has just been written. */
export const readIncident = async (
  connection: Connection,
  incident: IncidentRecord,
): Promise<Incident> => {
  const updates = await findIncidentUpdates(connection, [incident.id])
  return describeIncident(incident, updates.get(incident.id) ?? [])
}
