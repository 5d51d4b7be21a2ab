import { z } from 'zod'
import { write, type Route } from '../schema/route.ts'
import { CheckParams, Instant } from './check.ts'
import { StatusRule } from './status-rule.ts'

/** Outages that a replay lists, the newest. */
export const replayedOutagesMax = 20
export const replayDays = 30
/** Readings of one replay; a check with more in 30 days is replayed over the newest. */
export const replayReadingsMax = 400_000

const ReplayedOutage = z.object({
  /** Not before the start of the replay. */
  startedAt: Instant,
  /** null: it lasts. */
  endedAt: Instant.nullable(),
  /** The part of it in which the check was `down`: not the time without data. */
  downSeconds: z.int(),
  reason: z.string().nullable(),
})
export type ReplayedOutage = z.infer<typeof ReplayedOutage>

/** What a rule would have made of the readings. */
const ReplayedRule = z.object({
  rule: StatusRule,
  text: z.string(),
  outages: z.int(),
  downSeconds: z.int(),
  degradedSeconds: z.int(),
  newest: z.array(ReplayedOutage).max(replayedOutagesMax),
})
export type ReplayedRule = z.infer<typeof ReplayedRule>

export const RuleReplay = z.object({
  /** The replayed time: 30 days, or what `cut` left of them. */
  from: Instant,
  to: Instant,
  readings: z.int(),
  /**
   * Why it is less than 30 days: the check is younger, the plan keeps readings no longer, there are too many readings,
   * or judging them took too long. null: it is not.
   */
  cut: z.enum(['age', 'plan', 'readings', 'time']).nullable(),
  current: ReplayedRule,
  tried: ReplayedRule,
})
export type RuleReplay = z.infer<typeof RuleReplay>

export const ruleReplayRoutes = {
  replayStatusRule: write({
    method: 'POST',
    path: '/checks/:id/status-rule/replay',
    summary:
      'What a status rule would have made of the last 30 days, compared with the current one; saves nothing',
    params: CheckParams,
    body: z.strictObject({ statusRule: StatusRule }),
    output: RuleReplay,
    codes: ['SV-3005', 'SV-9002'],
  }),
} as const satisfies Record<string, Route>
