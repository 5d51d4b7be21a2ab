import { z } from 'zod'
import { components, field } from '../schema/field.ts'
import { id, Uuid } from '../schema/ids.ts'
import { BooleanFilter, nextCursor, pageParameters } from '../schema/list.ts'
import { Instant, Line, Prose } from '../schema/text.ts'
import { Region } from '../reading/regions.ts'
import { read, write, type Route } from '../schema/route.ts'

/** Any status may follow any (S-1502). */
export const IncidentStatus = z.enum(['investigating', 'identified', 'monitoring', 'resolved'])
export type IncidentStatus = z.infer<typeof IncidentStatus>

/** How much of a page an incident affects, least first. A page is never shown healthier than its open incidents. */
export const IncidentImpact = z.enum(['none', 'minor', 'major', 'critical'])
export type IncidentImpact = z.infer<typeof IncidentImpact>

const IncidentSource = z.enum(['manual', 'automatic'])

export const IncidentUpdate = z.object({
  id,
  status: field(IncidentStatus, 'Status that the update sets.'),
  body: field(z.string(), 'Text for visitors.', 'We are looking into it.'),
  createdAt: field(Instant, 'When it was posted.'),
})
export type IncidentUpdate = z.infer<typeof IncidentUpdate>
components.add(IncidentUpdate, { id: 'IncidentUpdate' })

/** A check in an automatic incident. */
const IncidentMember = z.object({
  checkId: field(id, 'Id of the check.'),
  downAt: field(Instant, 'When it last went down.'),
  downUntil: field(Instant.nullable(), 'Its end. null while down.', null),
})
/** Listed members of an incident, checks that are down first. */
export const incidentMembersShownMax = 100

export const Incident = z.object({
  id,
  statusPageId: field(id, 'Id of the status page.'),
  checkId: field(id, 'Id of the check.'),
  region: field(Region.nullable(), 'Affected region, or null.', 'fra'),
  title: field(z.string(), 'Title for visitors.', 'Slow checkout'),
  status: field(IncidentStatus, 'Status.'),
  source: field(IncidentSource, '`automatic`: by an alert. `manual`: by the team.'),
  impact: field(IncidentImpact.optional(), 'Impact by its author, else as measured.', 'minor'),
  startedAt: field(Instant, 'Start of the incident.'),
  resolvedAt: field(Instant.nullable(), 'End. null while it is open.', null),
  members: field(z.array(IncidentMember).optional(), 'At most 100, those that are down first.'),
  memberCount: field(z.int().optional(), 'Number of all its checks.', 1),
  componentIds: field(z.array(z.string()).optional(), 'Components, those that are down first.', []),
  updates: field(z.array(IncidentUpdate), 'Updates, newest first.'),
})
export type Incident = z.infer<typeof Incident>
components.add(Incident, { id: 'Incident' })

export const CreateIncidentInput = z.strictObject({
  statusPageId: field(Uuid, 'Id of the status page.'),
  checkId: field(Uuid, 'Id of the check.'),
  region: field(Region, 'Affected region.'),
  title: field(Line, 'Title for visitors.', 'Slow checkout'),
  body: field(Prose, 'Text for visitors.', 'We are looking into it.'),
})
export type CreateIncidentInput = z.infer<typeof CreateIncidentInput>

export const AddIncidentUpdateInput = z.strictObject({
  status: field(IncidentStatus, 'Status that the update sets. Any status may follow any.', 'identified'),
  body: field(Prose, 'Text for visitors.', 'We are looking into it.'),
})
export type AddIncidentUpdateInput = z.infer<typeof AddIncidentUpdateInput>

const IncidentParams = z.object({ id: field(Uuid, 'Id of the incident.') })

/** The number of listed incidents (S-1511), and which. */
export const IncidentsQuery = z.strictObject({
  ...pageParameters,
  status: field(IncidentStatus.optional(), 'Only incidents with this status.', 'investigating'),
  open: field(BooleanFilter.optional(), '`true`: incidents not resolved. `false`: resolved ones.', 'true'),
  source: field(IncidentSource.optional(), 'Only incidents opened by a person, or by the system.', 'manual'),
  statusPageId: field(Uuid.optional(), 'Only incidents of this page.'),
  checkId: field(Uuid.optional(), 'Only incidents about this check, also as a member.'),
})
export type IncidentsQuery = z.infer<typeof IncidentsQuery>
export const incidentsPageDefault = 50

/** A repeated (incident, status, body) within this time counts as one submission (S-1505). */
export const doubleSubmitMs = 60_000

export const incidentRoutes = {
  listIncidents: read({
    path: '/incidents',
    summary: 'Incidents of all checks, newest first',
    query: IncidentsQuery,
    output: z.object({ incidents: field(z.array(Incident), 'Incidents, newest first.'), nextCursor }),
  }),
  createIncident: write({
    method: 'POST',
    path: '/incidents',
    summary: 'Open an incident with its first update; confirmed subscribers get mail',
    success: 201,
    body: CreateIncidentInput,
    output: Incident,
    location: '/incidents/:$id',
    codes: ['SV-3001', 'SV-3002'],
  }),
  getIncident: read({
    path: '/incidents/:id',
    summary: 'One incident with its timeline',
    params: IncidentParams,
    output: Incident,
  }),
  addIncidentUpdate: write({
    method: 'POST',
    path: '/incidents/:id/updates',
    summary: 'Add an update to the timeline; a repeated update within a minute is ignored',
    success: 201,
    params: IncidentParams,
    body: AddIncidentUpdateInput,
    output: Incident,
    location: '/incidents/:$id',
    codes: ['SV-3002'],
  }),
} as const satisfies Record<string, Route>
