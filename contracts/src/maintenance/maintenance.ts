import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Instant, Line, Prose } from '../schema/text.ts'
import type { Route } from '../schema/route.ts'

export const MaintenanceState = z.enum(['scheduled', 'active', 'ended'])
export type MaintenanceState = z.infer<typeof MaintenanceState>

export const MaintenanceWindow = z.object({
  id: z.string(),
  statusPageId: z.string(),
  title: z.string(),
  body: z.string(),
  startsAt: Instant,
  endsAt: Instant,
  state: MaintenanceState,
  /** An empty list means the whole page. */
  componentIds: z.array(z.string()),
  createdAt: Instant,
  /** The time of a cancellation before the start. The window is then ended and was never active. */
  cancelledAt: Instant.nullable().optional(),
})
export type MaintenanceWindow = z.infer<typeof MaintenanceWindow>

const InputInstant = z.iso
  .datetime({ offset: true, message: 'must be an ISO 8601 time, such as 2026-11-20T12:00:00.000Z' })
  .transform((text) => Date.parse(text))

const componentsMax = 500
/** 90 days. */
export const maintenanceMinutesMax = 129_600

const ComponentIds = z
  .array(Uuid)
  .max(componentsMax)
  .refine((ids) => new Set(ids).size === ids.length, 'a component is named twice')
const Minutes = z.int().min(1).max(maintenanceMinutesMax)

/** Needs exactly one of `endsAt` and `durationMinutes` (S-1601). */
export const CreateMaintenanceInput = z
  .strictObject({
    statusPageId: Uuid,
    title: Line,
    body: Prose,
    startsAt: InputInstant.optional(),
    endsAt: InputInstant.optional(),
    durationMinutes: Minutes.optional(),
    componentIds: ComponentIds.optional(),
  })
  .superRefine(({ endsAt, durationMinutes }, context) => {
    if ((endsAt === undefined) === (durationMinutes === undefined)) {
      context.addIssue({
        code: 'custom',
        path: ['endsAt'],
        message: 'give exactly one of endsAt and durationMinutes',
      })
    }
  })
export type CreateMaintenanceInput = z.infer<typeof CreateMaintenanceInput>

/** Absent fields stay unchanged. An empty `componentIds` means the whole page. */
export const UpdateMaintenanceInput = z
  .strictObject({
    title: Line.optional(),
    body: Prose.optional(),
    startsAt: InputInstant.optional(),
    endsAt: InputInstant.optional(),
    durationMinutes: Minutes.optional(),
    componentIds: ComponentIds.optional(),
  })
  .superRefine((input, context) => {
    if (input.endsAt !== undefined && input.durationMinutes !== undefined) {
      const message = 'give at most one of endsAt and durationMinutes'
      context.addIssue({ code: 'custom', path: ['endsAt'], message })
    }
    if (Object.values(input).every((value) => value === undefined)) {
      context.addIssue({ code: 'custom', path: [], message: 'name at least one field' })
    }
  })
export type UpdateMaintenanceInput = z.infer<typeof UpdateMaintenanceInput>

const MaintenanceParams = z.object({ id: Uuid })
const MaintenanceQuery = z.strictObject({ statusPageId: Uuid })

const MaintenanceListQuery = z.strictObject({
  statusPageId: Uuid.optional(),
  state: MaintenanceState.optional(),
  /** `nextCursor` of the previous page. */
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  /** Only windows that cover this check, as a component of any page. */
  checkId: Uuid.optional(),
})

export const maintenanceRoutes = {
  getActiveMaintenance: {
    method: 'GET',
    path: '/maintenance',
    scope: 'read',
    budget: 'reads',
    summary: 'The active window of a status page, or null; with several, the last to end',
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
    summary: 'Announce maintenance: alerts in its scope are held, checks continue, subscribers get mail',
    success: 201,
    body: CreateMaintenanceInput,
    output: MaintenanceWindow,
    location: '/maintenance-windows/:$id',
    codes: ['SV-3001'],
  },
  endMaintenance: {
    method: 'DELETE',
    path: '/maintenance/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'End an active window now; a window that is not active is returned unchanged',
    success: 200,
    params: MaintenanceParams,
    output: MaintenanceWindow,
  },
  listMaintenance: {
    method: 'GET',
    path: '/maintenance-windows',
    scope: 'read',
    budget: 'reads',
    summary: 'Maintenance windows of all pages, in any state, last to end first',
    success: 200,
    query: MaintenanceListQuery,
    output: z.object({
      maintenanceWindows: z.array(MaintenanceWindow),
      /** null on the last page. */
      nextCursor: z.string().nullable().optional(),
    }),
    codes: ['SV-3001'],
  },
  getMaintenance: {
    method: 'GET',
    path: '/maintenance-windows/:id',
    scope: 'read',
    budget: 'reads',
    summary: 'One maintenance window, in any state',
    success: 200,
    params: MaintenanceParams,
    output: MaintenanceWindow,
  },
  updateMaintenance: {
    method: 'PATCH',
    path: '/maintenance-windows/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Change a window that has not started; subscribers get mail',
    success: 200,
    params: MaintenanceParams,
    body: UpdateMaintenanceInput,
    output: MaintenanceWindow,
    codes: ['SV-3002'],
  },
  cancelMaintenance: {
    method: 'POST',
    path: '/maintenance-windows/:id/cancel',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Cancel a window that has not started; subscribers get mail',
    success: 200,
    params: MaintenanceParams,
    output: MaintenanceWindow,
    codes: ['SV-3002'],
  },
} as const satisfies Record<string, Route>
