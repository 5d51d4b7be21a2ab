import { z } from 'zod'
import {
  AddIncidentUpdateInput,
  CreateIncidentInput,
  Incident,
  IncidentParams,
  IncidentsQuery,
} from './incident.ts'
import type { Route } from '../schema/route.ts'

export const incidentRoutes = {
  listIncidents: {
    method: 'GET',
    path: '/incidents',
    scope: 'read',
    budget: 'reads',
    summary: 'Incidents across every check, newest first',
    success: 200,
    query: IncidentsQuery,
    output: z.object({ incidents: z.array(Incident) }),
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
    summary: 'Add to the timeline; the same again within a minute is one submission',
    success: 201,
    params: IncidentParams,
    body: AddIncidentUpdateInput,
    output: Incident,
    codes: ['SV-3002'],
  },
} as const satisfies Record<string, Route>
