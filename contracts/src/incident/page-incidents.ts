import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Line, Prose } from '../schema/text.ts'
import { write, type Route } from '../schema/route.ts'
import { Incident, IncidentImpact, IncidentStatus } from './incident.ts'

/** Components that one incident names. */
const incidentComponentsMax = 500

const ComponentIds = z
  .array(Uuid)
  .min(1)
  .max(incidentComponentsMax)
  .refine((ids) => new Set(ids).size === ids.length, 'a component is named twice')

/** An incident of a page, about one or several of its components. */
export const CreatePageIncidentInput = z.strictObject({
  componentIds: ComponentIds,
  impact: IncidentImpact,
  title: Line,
  status: IncidentStatus.exclude(['resolved']).default('investigating'),
  body: Prose,
})
export type CreatePageIncidentInput = z.infer<typeof CreatePageIncidentInput>

/** An update of the timeline. Absent fields of the incident stay unchanged. */
export const UpdatePageIncidentInput = z.strictObject({
  status: IncidentStatus,
  body: Prose,
  title: Line.optional(),
  impact: IncidentImpact.optional(),
  /** Replaces the named components. The measured members of an automatic incident stay. */
  componentIds: ComponentIds.optional(),
})
export type UpdatePageIncidentInput = z.infer<typeof UpdatePageIncidentInput>

/** Dashboard routes. Over REST an incident is opened for one check, by `POST /incidents`. */
export const pageIncidentRoutes = {
  createPageIncident: write({
    method: 'POST',
    path: '/status-pages/:id/incidents',
    summary: 'Open an incident about components of a page, with an impact; confirmed subscribers get mail',
    success: 201,
    params: z.object({ id: Uuid }),
    body: CreatePageIncidentInput,
    output: Incident,
    codes: ['SV-3001'],
  }),
  updatePageIncident: write({
    method: 'POST',
    path: '/incidents/:id/page-updates',
    summary: 'Add an update, and change title, impact or components of the incident in the same act',
    success: 201,
    params: z.object({ id: Uuid }),
    body: UpdatePageIncidentInput,
    output: Incident,
    codes: ['SV-3001', 'SV-3002'],
  }),
} as const satisfies Record<string, Route>
