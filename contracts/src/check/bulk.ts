import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { PauseEnd } from './check-pause.ts'
import { Tag } from './tags.ts'

/** Checks that one bulk act may name. */
export const bulkChecksMax = 1_000

/** One act on many checks. */
export const BulkAct = z.discriminatedUnion('kind', [
  /** Without an end, a pause ends by hand. Pausing a paused check sets its end anew. */
  z.strictObject({ kind: z.literal('pause'), until: PauseEnd.optional() }),
  z.strictObject({ kind: z.enum(['resume', 'delete']) }),
  z.strictObject({ kind: z.enum(['add_tag', 'remove_tag']), tag: Tag }),
  /** Publishes the checks in the given order, under their own names. */
  z.strictObject({ kind: z.literal('publish'), statusPageId: Uuid }),
  z.strictObject({ kind: z.literal('add_to_rule'), alertRuleId: Uuid }),
])
export type BulkAct = z.infer<typeof BulkAct>

export const BulkInput = z.strictObject({
  checkIds: z
    .array(Uuid)
    .min(1, 'at least one check is required')
    .max(bulkChecksMax)
    .refine((ids) => new Set(ids).size === ids.length, 'a check is named twice'),
  act: BulkAct,
})
export type BulkInput = z.infer<typeof BulkInput>

/** What became of each check of a bulk act. Each list has the order of the request. */
export const BulkResult = z.object({
  changed: z.array(z.string()),
  /** Checks that already were as the act makes them. */
  unchanged: z.array(z.string()),
  /** Checks that were left as they are, each with the reason. */
  refusals: z.array(z.object({ checkId: z.string(), code: z.string(), message: z.string() })),
})
export type BulkResult = z.infer<typeof BulkResult>
