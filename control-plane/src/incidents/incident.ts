import { impactOf } from './impact.ts'
import type { AccountEvent } from '@probe-mesh/contracts/mesh/events'
import {
  incidentMembersShownMax,
  type Incident,
  type IncidentImpact,
  type IncidentUpdate,
} from '@probe-mesh/contracts/incident/incident'

/** An incident as it is stored, without its timeline. Times are Unix milliseconds. */
export type IncidentRecord = Pick<
  Incident,
  'id' | 'statusPageId' | 'checkId' | 'region' | 'title' | 'status' | 'source'
> & {
  accountId: string
  /** As measured when it opened or grew; null: written by a version without impact. */
  measuredImpact: IncidentImpact | null
  /** A person's choice; null: none. */
  postedImpact: IncidentImpact | null
  startedAtMs: number
  resolvedAtMs: number | null
}

/** One update of an incident, as it is stored. */
export type IncidentUpdateRecord = Pick<IncidentUpdate, 'id' | 'status' | 'body'> & {
  incidentId: string
  createdAtMs: number
}

/** A check of an automatic incident. Times are Unix milliseconds; `downUntilMs` null: still down. */
export type IncidentMemberRecord = {
  incidentId: string
  checkId: string
  downAtMs: number
  downUntilMs: number | null
}

/**
 * An incident after an update. A repeated `resolved` keeps the first time; any other status reopens it.
 */
export const afterUpdate = (
  incident: IncidentRecord,
  { status, createdAtMs }: Pick<IncidentUpdateRecord, 'status' | 'createdAtMs'>,
): IncidentRecord => ({
  ...incident,
  status,
  resolvedAtMs: status === 'resolved' ? (incident.resolvedAtMs ?? createdAtMs) : null,
})

/** The parts of an incident besides its row. */
export type IncidentParts = {
  /** Newest first. */
  updates?: readonly IncidentUpdateRecord[] | undefined
  /** Down ones first. */
  members?: readonly IncidentMemberRecord[] | undefined
  /** The published components that it affects, those that are down first. */
  componentIds?: readonly string[] | undefined
}

/** An incident as every route returns it. */
export const describeIncident = (
  incident: IncidentRecord,
  { updates = [], members = [], componentIds = [] }: IncidentParts,
): Incident => ({
  ...describeHead(incident),
  members: members.slice(0, incidentMembersShownMax).map(describeMember),
  memberCount: members.length,
  componentIds: [...componentIds],
  updates: updates.map(describeUpdate),
})

/** The event of an incident's newest update. Its size does not grow with the timeline. */
export const incidentEvent = (incident: IncidentRecord, update: IncidentUpdateRecord): AccountEvent => ({
  kind: 'incident',
  accountId: incident.accountId,
  incident: describeHead(incident),
  update: describeUpdate(update),
})

const describeMember = ({ checkId, downAtMs, downUntilMs }: IncidentMemberRecord) => ({
  checkId,
  downAt: new Date(downAtMs).toISOString(),
  downUntil: downUntilMs === null ? null : new Date(downUntilMs).toISOString(),
})

const describeHead = (
  incident: IncidentRecord,
): Omit<Incident, 'updates' | 'members' | 'memberCount' | 'componentIds'> => ({
  id: incident.id,
  statusPageId: incident.statusPageId,
  checkId: incident.checkId,
  region: incident.region,
  title: incident.title,
  status: incident.status,
  source: incident.source,
  impact: impactOf(incident),
  startedAt: new Date(incident.startedAtMs).toISOString(),
  resolvedAt: incident.resolvedAtMs === null ? null : new Date(incident.resolvedAtMs).toISOString(),
})

const describeUpdate = ({ id, status, body, createdAtMs }: IncidentUpdateRecord) => ({
  id,
  status,
  body,
  createdAt: new Date(createdAtMs).toISOString(),
})
