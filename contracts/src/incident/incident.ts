import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { BooleanFilter, nextCursor, pageParameters } from '../schema/list.ts'
import { Instant, Line, Prose } from '../schema/text.ts'
import { Region } from '../reading/regions.ts'
import type { Route } from '../schema/route.ts'

/** Any status may follow any (S-1502). */
export const IncidentStatus = z.enum(['investigating', 'identified', 'monitoring', 'resolved'])
export type IncidentStatus = z.infer<typeof IncidentStatus>

/** How much of a page an incident affects, least first. A page is never shown healthier than its open incidents. */
export const IncidentImpact = z.enum(['none', 'minor', 'major', 'critical'])
export type IncidentImpact = z.infer<typeof IncidentImpact>

const IncidentSource = z.enum(['manual', 'automatic'])

export const IncidentUpdate = z.object({
  id: z.string(),
  status: IncidentStatus,
  body: z.string(),
  createdAt: Instant,
})
export type IncidentUpdate = z.infer<typeof IncidentUpdate>

/** A check in an automatic incident. */
const IncidentMember = z.object({
  checkId: z.string(),
  /** The last time it went down in this incident. */
  downAt: Instant,
  /** The end of that downtime; null while it is down, as far as known. */
  downUntil: Instant.nullable(),
})
/** Listed members of an incident, checks that are down first. */
export const incidentMembersShownMax = 100

export const Incident = z.object({
  id: z.string(),
  statusPageId: z.string(),
  checkId: z.string(),
  /** The affected region; null: no region measures it, or its author named none. */
  region: Region.nullable(),
  title: z.string(),
  status: IncidentStatus,
  source: IncidentSource,
  /** As its author says; else as measured: `critical` when all components of the page are down. */
  impact: IncidentImpact.optional(),
  startedAt: Instant,
  resolvedAt: Instant.nullable(),
  /** The checks of an automatic incident, at most 100, checks that are down first. */
  members: z.array(IncidentMember).optional(),
  /** Total number of members. */
  memberCount: z.int().optional(),
  /** The published components that it affects or affected, those that are down first. */
  componentIds: z.array(z.string()).optional(),
  /** Newest first. */
  updates: z.array(IncidentUpdate),
})
export type Incident = z.infer<typeof Incident>

export const CreateIncidentInput = z.strictObject({
  statusPageId: Uuid,
  checkId: Uuid,
  region: Region,
  title: Line,
  body: Prose,
})
export type CreateIncidentInput = z.infer<typeof CreateIncidentInput>

export const AddIncidentUpdateInput = z.strictObject({ status: IncidentStatus, body: Prose })
export type AddIncidentUpdateInput = z.infer<typeof AddIncidentUpdateInput>

const IncidentParams = z.object({ id: Uuid })

/** The number of listed incidents (S-1511), and which. */
export const IncidentsQuery = z.strictObject({
  ...pageParameters,
  status: IncidentStatus.optional(),
  /** Whether it is not resolved. */
  open: BooleanFilter.optional(),
  source: IncidentSource.optional(),
  statusPageId: Uuid.optional(),
  /** Incidents about this check, also as a member. */
  checkId: Uuid.optional(),
})
export type IncidentsQuery = z.infer<typeof IncidentsQuery>
export const incidentsPageDefault = 50

/** A repeated (incident, status, body) within this time counts as one submission (S-1505). */
export const doubleSubmitMs = 60_000

export const incidentRoutes = {
  listIncidents: {
    method: 'GET',
    path: '/incidents',
    scope: 'read',
    budget: 'reads',
    summary: 'Incidents of all checks, newest first',
    success: 200,
    query: IncidentsQuery,
    output: z.object({ incidents: z.array(Incident), nextCursor }),
  },
  createIncident: {
    method: 'POST',
    path: '/incidents',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Open an incident with its first update; confirmed subscribers get mail',
    success: 201,
    body: CreateIncidentInput,
    output: Incident,
    location: '/incidents/:$id',
    codes: ['SV-3001', 'SV-3002'],
  },
  getIncident: {
    method: 'GET',
    path: '/incidents/:id',
    scope: 'read',
    budget: 'reads',
    summary: 'One incident with its timeline',
    success: 200,
    params: IncidentParams,
    output: Incident,
  },
  addIncidentUpdate: {
    method: 'POST',
    path: '/incidents/:id/updates',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Add an update to the timeline; a repeated update within a minute is ignored',
    success: 201,
    params: IncidentParams,
    body: AddIncidentUpdateInput,
    output: Incident,
    location: '/incidents/:$id',
    codes: ['SV-3002'],
  },
} as const satisfies Record<string, Route>
