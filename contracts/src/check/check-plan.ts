import { z } from 'zod'
import { field } from '../schema/field.ts'
import { Uuid } from '../schema/ids.ts'
import { FieldProblem } from '../schema/refusal.ts'
import type { Route } from '../schema/route.ts'

/** Changes judged at once. More are sent in parts. */
export const draftsMax = 5_000
/** The size of a request with them. */
export const planBytesMax = 4 * 1024 * 1024

/** The body that the write would have. It is judged draft by draft, so that one wrong draft hides no other. */
const draftBody = field(z.record(z.string(), z.unknown()), 'Body that the write would have.')
const id = field(Uuid, 'Check that the write is about.')
const action = <T extends string>(name: T) => field(z.literal(name), 'Which write is intended.')

/** One intended write. */
export const CheckDraft = z.discriminatedUnion('action', [
  /** `POST /checks` */
  z.strictObject({ action: action('create'), check: draftBody }),
  /** `POST /checks/:id/replace` */
  z.strictObject({ action: action('replace'), id, check: draftBody }),
  /** `PATCH /checks/:id`, `PATCH /checks/:id/assertions`, or both */
  z.strictObject({
    action: action('update'),
    id,
    check: draftBody.optional(),
    assertions: field(draftBody.optional(), 'Body of a change of the assertions.'),
  }),
  /** `DELETE /checks/:id` */
  z.strictObject({ action: action('delete'), id }),
])
export type CheckDraft = z.infer<typeof CheckDraft>

/** In the order of writing: each draft is judged as if those before it had been written. */
const PlanChecksInput = z.strictObject({
  drafts: field(
    z.array(CheckDraft).max(draftsMax),
    'Intended writes, in their order. Each is judged as if those before it had been written.',
  ),
})
type PlanChecksInput = z.infer<typeof PlanChecksInput>

/** What the write of one draft would be refused with. A draft may have several. */
export const DraftRefusal = z.object({
  index: field(z.int(), 'Which draft, from 0.', 0),
  name: field(z.string().nullable(), 'Name of the check. null if it has none.', 'Shop'),
  code: field(z.string(), 'Stable code. See [errors](/docs/errors).', 'SV-2001'),
  message: field(z.string(), 'What happened and what to do.', '"name": is missing.'),
  errors: field(z.array(FieldProblem), 'Problems of the fields, with paths inside the body of the write.'),
})
export type DraftRefusal = z.infer<typeof DraftRefusal>

export const CheckPlan = z.object({
  refusals: field(
    z.array(DraftRefusal),
    'Everything that would be refused, in the order of the drafts. Empty: all would be written.',
  ),
  writes: field(
    z.object({
      needed: field(z.int(), 'Writes that the drafts need.', 12),
      left: field(z.int(), 'Writes of the key that are left in this minute.', 118),
      perMinute: field(z.int(), 'Writes of the key in a minute.', 30),
      resetSeconds: field(z.int(), 'Seconds until a used write is free again.', 40),
    }),
    'Write budget of the key, and what the drafts need of it.',
  ),
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
