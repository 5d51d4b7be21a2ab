import { z } from 'zod'
import { Uuid } from './ids.ts'
import { Instant } from './instant.ts'
import { Line, Prose } from './text.ts'

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
  /** Empty: the whole page. */
  componentIds: z.array(z.string()),
  createdAt: Instant,
})
export type MaintenanceWindow = z.infer<typeof MaintenanceWindow>

const InputInstant = z.iso
  .datetime({ offset: true, message: 'must be an ISO 8601 time, such as 2026-11-20T12:00:00.000Z' })
  .transform((text) => Date.parse(text))

const componentsMax = 500
/** A window is for work that ends: 90 days. */
export const maintenanceMinutesMax = 129_600

/** "Exactly one of `endsAt` or `durationMinutes` is given" (specification, Maintenance window). */
export const CreateMaintenanceInput = z
  .strictObject({
    statusPageId: Uuid,
    title: Line,
    body: Prose,
    startsAt: InputInstant.optional(),
    endsAt: InputInstant.optional(),
    durationMinutes: z.int().min(1).max(maintenanceMinutesMax).optional(),
    componentIds: z
      .array(Uuid)
      .max(componentsMax)
      .refine((ids) => new Set(ids).size === ids.length, 'a component is named twice')
      .optional(),
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

export const MaintenanceParams = z.object({ id: Uuid })
export const MaintenanceQuery = z.strictObject({ statusPageId: Uuid })

/** For the dashboard, which shows more than what is active. */
export const MaintenanceListQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(500).default(100),
  /** Only windows that cover this check, as a component of whichever page. */
  checkId: Uuid.optional(),
})
