import {
  CreateMaintenanceInput,
  MaintenanceParams,
  MaintenanceQuery,
  MaintenanceWindow,
} from '../maintenance.ts'
import type { Route } from './route.ts'

export const maintenanceRoutes = {
  getActiveMaintenance: {
    method: 'GET',
    path: '/maintenance',
    scope: 'read',
    budget: 'reads',
    summary: 'The active window of a status page, or null; of several the one that ends last',
    success: 200,
    query: MaintenanceQuery,
    output: MaintenanceWindow.nullable(),
    codes: ['SV-3001'],
  },
  createMaintenance: {
    method: 'POST',
    path: '/maintenance',
    scope: 'read_write',
    budget: 'writes',
    summary:
      'Announce maintenance: alerts of its scope are held, checks run on, subscribers get mail',
    success: 201,
    body: CreateMaintenanceInput,
    output: MaintenanceWindow,
    codes: ['SV-3001'],
  },
  endMaintenance: {
    method: 'DELETE',
    path: '/maintenance/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'End an active window now; one that is not active is returned unchanged',
    success: 200,
    params: MaintenanceParams,
    output: MaintenanceWindow,
  },
} as const satisfies Record<string, Route>
