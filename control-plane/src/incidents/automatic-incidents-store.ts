import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { afterUpdate, incidentEvent, type IncidentRecord, type IncidentUpdateRecord } from './incident.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { insertIncidentUpdate } from './incident-updates-store.ts'
import { updateIncident } from './incidents-store.ts'
import { insertOutbox } from '../stores/outbox-store.ts'

/** A new automatic incident; `body` holds the evidence. Unix milliseconds. */
export type AutomaticIncident = Pick<
  IncidentRecord,
  'accountId' | 'statusPageId' | 'checkId' | 'region' | 'title' | 'measuredImpact' | 'startedAtMs'
> & { body: string }

/**
 * Opens an incident with its evidence as the first update and publishes it to streams. Subscribers get no
 * mail. A page has at most one open automatic incident of a check.
 * @returns the incident, or null, with nothing written, when one is open already or the page or the check
 *   has been deleted
 */
export const openAutomaticIncident = async (
  tx: Transaction,
  { body, ...found }: AutomaticIncident,
  nowMs: number,
): Promise<IncidentRecord | null> => {
  const incident: IncidentRecord = {
    ...found,
    id: uuidv7(nowMs),
    status: 'investigating',
    source: 'automatic',
    postedImpact: null,
    resolvedAtMs: null,
  }
  const opened = await tx`
    insert into incidents (id, account_id, status_page_id, check_id, region, title, status, source,
      measured_impact, started_at, created_at)
    select ${incident.id}, status_pages.account_id, status_pages.id, checks.id, ${incident.region},
      ${incident.title}, ${incident.status}, ${incident.source}, ${incident.measuredImpact},
      ${new Date(incident.startedAtMs)}, ${new Date(nowMs)}
    from status_pages join checks on checks.account_id = status_pages.account_id
    where status_pages.id = ${incident.statusPageId} and checks.id = ${incident.checkId}
    for key share
    on conflict (status_page_id, check_id) where source = 'automatic' and resolved_at is null
      do nothing
    returning id`
  if (opened.length === 0) return null
  await publish(tx, incident, { status: incident.status, body }, nowMs)
  return incident
}

/** Adds an update to an automatic incident and publishes it to streams. Subscribers get no mail. */
export const addAutomaticUpdate = async (
  tx: Transaction,
  incident: IncidentRecord,
  update: Pick<IncidentUpdateRecord, 'status' | 'body'>,
  nowMs: number,
): Promise<void> => {
  const after = afterUpdate(incident, { ...update, createdAtMs: nowMs })
  await updateIncident(tx, after)
  await publish(tx, after, update, nowMs)
}

/** @param incident as the update leaves it */
const publish = async (
  tx: Transaction,
  incident: IncidentRecord,
  { status, body }: Pick<IncidentUpdateRecord, 'status' | 'body'>,
  nowMs: number,
): Promise<void> => {
  const { id: incidentId, accountId } = incident
  const update = { id: uuidv7(nowMs), incidentId, status, body, createdAtMs: nowMs }
  await insertIncidentUpdate(tx, accountId, update)
  await insertOutbox(tx, 'incident', incidentEvent(incident, update), nowMs)
}
