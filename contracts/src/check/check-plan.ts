import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { FieldProblem } from '../schema/refusal.ts'
import type { Route } from '../schema/route.ts'

/** Changes judged at once. More are sent in parts. */
export const draftsMax = 5_000
/** The size of a request with them. */
export const planBytesMax = 4 * 1024 * 1024

/** The body that the write would have. It is judged draft by draft, so that one wrong draft hides no other. */
const draftBody = z.record(z.string(), z.unknown())

/** One intended write. */
export const CheckDraft = z.discriminatedUnion('action', [
  /** `POST /checks` */
  z.strictObject({ action: z.literal('create'), check: draftBody }),
  /** `POST /checks/:id/replace` */
  z.strictObject({ action: z.literal('replace'), id: Uuid, check: draftBody }),
  /** `PATCH /checks/:id`, `PATCH /checks/:id/assertions`, or both */
  z.strictObject({
    action: z.literal('update'),
    id: Uuid,
    check: draftBody.optional(),
    assertions: draftBody.optional(),
  }),
  /** `DELETE /checks/:id` */
  z.strictObject({ action: z.literal('delete'), id: Uuid }),
])
export type CheckDraft = z.infer<typeof CheckDraft>

/** In the order of writing: each draft is judged as if those before it had been written. */
const PlanChecksInput = z.strictObject({ drafts: z.array(CheckDraft).max(draftsMax) })
type PlanChecksInput = z.infer<typeof PlanChecksInput>

/** What the write of one draft would be refused with. A draft may have several. */
export const DraftRefusal = z.object({
  /** Of the draft, from 0. */
  index: z.int(),
  /** The name of the check; null if it has none. */
  name: z.string().nullable(),
  code: z.string(),
  message: z.string(),
  /** The fields, with paths inside the body of the write. */
  errors: z.array(FieldProblem),
})
export type DraftRefusal = z.infer<typeof DraftRefusal>

export const CheckPlan = z.object({
  /** Everything that would be refused, in the order of the drafts; empty: all would be written. */
  refusals: z.array(DraftRefusal),
  writes: z.object({
    needed: z.int(),
    /** The writes of the key that are left in this minute, and its writes in a minute. */
    left: z.int(),
    perMinute: z.int(),
    /** Until a used write is free again. */
    resetSeconds: z.int(),
  }),
})
export type CheckPlan = z.infer<typeof CheckPlan>

export const planChecksRoute = {
  method: 'POST',
  path: '/checks/plan',
  scope: 'read',
  budget: 'reads',
  summary:
    'Judge intended writes of http checks, all at once: the answer lists everything that would be refused, and nothing is stored',
  success: 200,
  body: PlanChecksInput,
  bodyBytesMax: planBytesMax,
  output: CheckPlan,
} as const satisfies Route
