import { z } from 'zod'
import { Instant } from '../schema/text.ts'

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

/** When a heartbeat's pings are expected: every period, or by a cron schedule in a time zone. */
export const HeartbeatSettings = z.strictObject({
  /** Seconds between pings; null where there is a cron schedule. */
  periodSeconds: z.int().min(10).max(31_536_000).nullable().default(null),
  /** Five fields, Vixie semantics; null where there is a period. */
  cron: z.string().max(100).nullable().default(null),
  /** IANA name; only with `cron`, where null is UTC. */
  timeZone: z.string().max(60).nullable().default(null),
  /** How late a ping may be before the check is down, seconds. */
  graceSeconds: z.int().min(1).max(31_536_000),
  /** How long a started run may take before it is stuck, seconds; null for no such clock. */
  maxRuntimeSeconds: z.int().min(1).max(31_536_000).nullable().default(null),
})
export type HeartbeatSettings = z.infer<typeof HeartbeatSettings>

/** Text of a ping's body that is kept, in bytes of what was sent; the rest is cut off. */
export const pingBodyBytesMax = 10 * 1024

/**
 * `new` was never pinged, `late` is past its time but within its grace, `held_down` has failed so
 * often in a row that one success does not make it good again.
 */
export const HeartbeatStateName = z.enum([
  'new',
  'up',
  'late',
  'running',
  'down',
  'held_down',
  'paused',
])
export type HeartbeatStateName = z.infer<typeof HeartbeatStateName>

/** What `GET /checks/:id` adds for a heartbeat (S-615). */
export const Heartbeat = z.object({
  state: HeartbeatStateName,
  lastPingAt: Instant.nullable(),
  /** When the next ping is expected, its grace not counted; null where none is: before the first one, while paused. */
  nextExpectedAt: Instant.nullable(),
  /** null where a cron schedule says when. */
  periodSeconds: z.int().nullable(),
  graceSeconds: z.int(),
  maxRuntimeSeconds: z.int().nullable(),
  heldDown: z.boolean(),
  consecutiveFailures: z.int().min(0),
  latestRun: Run.nullable(),
  /** Where its pings go: whoever has it may ping, so it is null for a key that may only read. */
  pingUrl: z.string().nullable(),
})
export type Heartbeat = z.infer<typeof Heartbeat>
