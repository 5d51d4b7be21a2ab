import { z } from 'zod'
import { Instant } from '../schema/instant.ts'

/** `stuck` did not end in its time, `missed` never came. */
export const RunOutcome = z.enum(['running', 'success', 'failure', 'stuck', 'missed'])
export type RunOutcome = z.infer<typeof RunOutcome>

/**
 * One run of what a heartbeat watches (S-608). A ping without a start makes
 * a run that has only an end; one that never came has the instant at which it was given up.
 */
export const Run = z.object({
  id: z.string(),
  startedAt: Instant.nullable(),
  finishedAt: Instant.nullable(),
  outcome: RunOutcome,
  /** From start to end; null unless both were told. */
  durationMs: z.int().min(0).nullable(),
  /** It outlived its max runtime, also where it ended after all. */
  stuck: z.boolean(),
  exitCode: z.int().min(0).max(255).nullable(),
  /** The body of its ping, or why it is stuck or missed. */
  message: z.string().nullable(),
})
export type Run = z.infer<typeof Run>

export const runsPageDefault = 50

export const RunsQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(500).optional(),
})
export type RunsQuery = z.infer<typeof RunsQuery>
