import { z } from 'zod'
import { components, field } from '../schema/field.ts'
import { id, Uuid } from '../schema/ids.ts'
import { nextCursor } from '../schema/list.ts'
import { Instant, Line, Prose } from '../schema/text.ts'
import { read, write, type Route } from '../schema/route.ts'

export const MaintenanceState = z.enum(['scheduled', 'active', 'ended'])
export type MaintenanceState = z.infer<typeof MaintenanceState>

const Note = field(Prose.nullable(), 'For the team, never published.', 'Change CHG-1042; rollback by Kim.')

export const MaintenanceWindow = z.object({
  id,
  statusPageId: field(id, 'Id of the status page.'),
  title: field(z.string(), 'Title for visitors.', 'Database upgrade'),
  body: field(z.string(), 'Text for visitors.', 'The shop is read-only.'),
  startsAt: field(Instant, 'Start.', '2026-11-20T22:00:00.000Z'),
  endsAt: field(Instant, 'End.', '2026-11-20T23:00:00.000Z'),
  state: field(MaintenanceState, 'Ahead, active or over.'),
  componentIds: field(z.array(z.string()), 'Affected components. Empty: the whole page.', []),
  createdAt: field(Instant, 'Creation.'),
  cancelledAt: field(
    Instant.nullable().optional(),
    'When it was cancelled before its start, so that it was never active.',
    null,
  ),
  note: Note.optional(),
})
export type MaintenanceWindow = z.infer<typeof MaintenanceWindow>
components.add(MaintenanceWindow, { id: 'MaintenanceWindow' })

const InputInstant = z.iso
  .datetime({ offset: true, message: 'must be an ISO 8601 time, such as 2026-11-20T12:00:00.000Z' })
  .transform((text) => Date.parse(text))

const componentsMax = 500
/** 90 days. */
export const maintenanceMinutesMax = 129_600

const ComponentIds = field(
  z
    .array(Uuid)
    .max(componentsMax)
    .refine((ids) => new Set(ids).size === ids.length, 'a component is named twice'),
  'Affected components. Empty: the whole page.',
  [],
)
const Minutes = field(z.int().min(1).max(maintenanceMinutesMax), 'Length, in place of `endsAt`.', 60)

/** Needs exactly one of `endsAt` and `durationMinutes` (S-1601). */
export const CreateMaintenanceInput = z
  .strictObject({
    statusPageId: field(Uuid, 'Id of the status page.'),
    title: field(Line, 'Title for visitors.', 'Database upgrade'),
    body: field(Prose, 'Text for visitors.', 'The shop is read-only.'),
    startsAt: field(InputInstant.optional(), 'Start. Absent: now.', '2026-11-20T22:00:00.000Z'),
    endsAt: field(
      InputInstant.optional(),
      'End. Give exactly one of `endsAt` and `durationMinutes`.',
      '2026-11-20T23:00:00.000Z',
    ),
    durationMinutes: Minutes.optional(),
    componentIds: ComponentIds.optional(),
    note: Note.optional(),
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
    title: field(Line.optional(), 'Title for visitors.', 'Database upgrade'),
    body: field(Prose.optional(), 'Text for visitors.', 'The shop is read-only.'),
    startsAt: field(InputInstant.optional(), 'Start.', '2026-11-20T22:00:00.000Z'),
    endsAt: field(
      InputInstant.optional(),
      'End. Give at most one of `endsAt` and `durationMinutes`.',
      '2026-11-20T23:00:00.000Z',
    ),
    durationMinutes: Minutes.optional(),
    componentIds: ComponentIds.optional(),
    note: Note.optional(),
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

const MaintenanceParams = z.object({ id: field(Uuid, 'Id of the maintenance window.') })
const MaintenanceQuery = z.strictObject({ statusPageId: field(Uuid, 'Id of the status page.') })

const MaintenanceListQuery = z.strictObject({
  statusPageId: field(Uuid.optional(), 'Only windows of this page.'),
  state: field(MaintenanceState.optional(), 'Only windows in this state.'),
  cursor: field(z.string().max(200).optional(), '`nextCursor` of the previous page with the same filters.'),
  limit: field(z.coerce.number().int().min(1).max(500).default(100), 'Maximum number of entries.', 50),
  checkId: field(Uuid.optional(), 'Only windows that cover this check, as a component of any page.'),
})

export const maintenanceRoutes = {
  getActiveMaintenance: read({
    path: '/maintenance',
    summary: 'The active window of a status page, or null; with several, the last to end',
    query: MaintenanceQuery,
    output: MaintenanceWindow.nullable(),
    codes: ['SV-3001'],
  }),
  createMaintenance: write({
    method: 'POST',
    path: '/maintenance',
    summary: 'Announce maintenance: alerts in its scope are held, checks continue, subscribers get mail',
    success: 201,
    body: CreateMaintenanceInput,
    output: MaintenanceWindow,
    location: '/maintenance-windows/:$id',
    codes: ['SV-3001'],
  }),
  endMaintenance: write({
    method: 'DELETE',
    path: '/maintenance/:id',
    summary: 'End an active window now; a window that is not active is returned unchanged',
    params: MaintenanceParams,
    output: MaintenanceWindow,
  }),
  listMaintenance: read({
    path: '/maintenance-windows',
    summary: 'Maintenance windows of all pages, in any state, last to end first',
    query: MaintenanceListQuery,
    output: z.object({
      maintenanceWindows: field(z.array(MaintenanceWindow), 'Maintenance windows, last to end first.'),
      nextCursor,
    }),
    codes: ['SV-3001'],
  }),
  getMaintenance: read({
    path: '/maintenance-windows/:id',
    summary: 'One maintenance window, in any state',
    params: MaintenanceParams,
    output: MaintenanceWindow,
  }),
  updateMaintenance: write({
    method: 'PATCH',
    path: '/maintenance-windows/:id',
    summary:
      'Change a window that has not started; subscribers get mail. The note alone is changed at any time, without mail',
    params: MaintenanceParams,
    body: UpdateMaintenanceInput,
    output: MaintenanceWindow,
    codes: ['SV-3002'],
  }),
  cancelMaintenance: write({
    method: 'POST',
    path: '/maintenance-windows/:id/cancel',
    summary: 'Cancel a window that has not started; subscribers get mail',
    params: MaintenanceParams,
    output: MaintenanceWindow,
    codes: ['SV-3002'],
  }),
} as const satisfies Record<string, Route>
