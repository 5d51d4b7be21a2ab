import { z } from 'zod'
import { pageParameters } from '../schema/list.ts'
import { Instant } from '../schema/text.ts'

/** `stuck` exceeded its max runtime, `missed` never started. */
export const RunOutcome = z.enum(['running', 'success', 'failure', 'stuck', 'missed'])
export type RunOutcome = z.infer<typeof RunOutcome>

/**
 * One run of the job of a heartbeat (S-608). A ping without a start creates a run with only an end. A missed run
 * ends when its grace ends.
 */
export const Run = z.object({
  id: z.string(),
  startedAt: Instant.nullable(),
  finishedAt: Instant.nullable(),
  outcome: RunOutcome,
  /** From start to end; null unless both were pinged. */
  durationMs: z.int().min(0).nullable(),
  /** Whether it exceeded its max runtime, even if it ended later. */
  stuck: z.boolean(),
  exitCode: z.int().min(0).max(255).nullable(),
  /** The body of its ping, or the reason why it is stuck or missed. */
  message: z.string().nullable(),
})
export type Run = z.infer<typeof Run>

export const runsPageDefault = 50

export const RunsQuery = z.strictObject({ ...pageParameters, outcome: RunOutcome.optional() })
export type RunsQuery = z.infer<typeof RunsQuery>

/** The expected pings of a heartbeat: every period, or by a cron schedule in a time zone. */
export const HeartbeatSettings = z.strictObject({
  /** Seconds between pings; null with a cron schedule. */
  periodSeconds: z.int().min(10).max(31_536_000).nullable().default(null),
  /** Five fields, Vixie semantics; null with a period. */
  cron: z.string().max(100).nullable().default(null),
  /** IANA name, only with `cron`; null means UTC. */
  timeZone: z.string().max(60).nullable().default(null),
  /** How late a ping may be before the check is down, seconds. */
  graceSeconds: z.int().min(1).max(31_536_000),
  /** The longest run before it counts as stuck, seconds; null for no limit. */
  maxRuntimeSeconds: z.int().min(1).max(31_536_000).nullable().default(null),
})
export type HeartbeatSettings = z.infer<typeof HeartbeatSettings>

/** Stored bytes of a ping's body. The rest is cut off. */
export const pingBodyBytesMax = 10 * 1024

/**
 * `new` was never pinged. `late` is past its time but within its grace. `held_down` failed several times in a row,
 * so that one success does not make it operational.
 */
export const HeartbeatStateName = z.enum(['new', 'up', 'late', 'running', 'down', 'held_down', 'paused'])
export type HeartbeatStateName = z.infer<typeof HeartbeatStateName>

/** Additional fields of a heartbeat in `GET /checks/:id` (S-615). */
export const Heartbeat = z.object({
  state: HeartbeatStateName,
  lastPingAt: Instant.nullable(),
  /** The time of the next ping, without grace; null before the first ping and while paused. */
  nextExpectedAt: Instant.nullable(),
  /** null with a cron schedule. */
  periodSeconds: z.int().nullable(),
  graceSeconds: z.int(),
  maxRuntimeSeconds: z.int().nullable(),
  heldDown: z.boolean(),
  consecutiveFailures: z.int().min(0),
  latestRun: Run.nullable(),
  /** The URL of its pings. It works without a key, so read-only keys get null. */
  pingUrl: z.string().nullable(),
})
export type Heartbeat = z.infer<typeof Heartbeat>
