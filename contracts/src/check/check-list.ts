import { z } from 'zod'
import { Check, CheckDetail, CheckStatus, CheckType } from './check.ts'
import { Uuid } from '../schema/ids.ts'
import { Instant } from '../schema/instant.ts'
import { limits } from '../schema/limits.ts'

/** What a check of the list counts as: a paused one is not measured, so it has no status. */
export const ListedStatus = z.enum([...CheckStatus.options, 'paused'])
export type ListedStatus = z.infer<typeof ListedStatus>

export const CheckPartQuery = z.strictObject({
  /** What the name, address or type has to have in it, in any case. */
  q: z.string().max(limits.nameCharactersMax).default(''),
  status: ListedStatus.optional(),
  type: CheckType.optional(),
  /** From 1; beyond the last it is the last. */
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
})

/** One part of an account's checks, as they stand at one instant. */
export const CheckPart = z.object({
  checks: z.array(Check),
  number: z.int(),
  last: z.int(),
  /** Found in all parts. */
  total: z.int(),
  /** Of all checks, found or not; a status that no check has is left out. */
  counts: z.partialRecord(ListedStatus, z.int()),
  /** Of those that have the text and the type, whatever status is asked for. */
  matching: z.partialRecord(ListedStatus, z.int()),
  at: Instant,
  vantage: CheckDetail.shape.vantage,
})
export type CheckPart = z.infer<typeof CheckPart>

export const CheckTrendsQuery = z.strictObject({
  /** Ids, with commas between them. */
  ids: z
    .string()
    .max(limits.checksPerPart * 37)
    .transform((text) => text.split(','))
    .pipe(z.array(Uuid).max(limits.checksPerPart)),
})

/** A check's scheduled readings, all regions together. */
export const CheckTrend = z.object({
  checkId: z.string(),
  p50Ms: z.number().nullable(),
  up: z.int(),
  down: z.int(),
  /** Of hours in which something was measured, oldest first. */
  hours: z.array(
    z.object({ at: Instant, p50Ms: z.number().nullable(), up: z.int(), down: z.int() }),
  ),
})
export type CheckTrend = z.infer<typeof CheckTrend>

export const CheckTrends = z.object({ from: Instant, to: Instant, trends: z.array(CheckTrend) })
export type CheckTrends = z.infer<typeof CheckTrends>
