import { z } from 'zod'
import { components, field } from '../schema/field.ts'
import { id } from '../schema/ids.ts'
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
  id,
  startedAt: field(Instant.nullable(), 'Start.'),
  finishedAt: field(Instant.nullable(), 'End. null while it runs.'),
  outcome: field(RunOutcome, '`stuck` exceeded its time, `missed` never started.', 'success'),
  durationMs: field(z.int().min(0).nullable(), 'null unless start and end were reported.', 5230),
  stuck: field(z.boolean(), 'Whether it exceeded its maximum time.', false),
  exitCode: field(z.int().min(0).max(255).nullable(), 'Exit code of the job.', 0),
  message: field(z.string().nullable(), 'Body of the ping, or why it is stuck or missed.', null),
})
export type Run = z.infer<typeof Run>
components.add(Run, { id: 'Run' })

export const runsPageDefault = 50

export const RunsQuery = z.strictObject({
  ...pageParameters,
  outcome: field(RunOutcome.optional(), 'Only runs with this outcome.', 'failure'),
})
export type RunsQuery = z.infer<typeof RunsQuery>

/** The expected pings of a heartbeat: every period, or by a cron schedule or an OnCalendar expression in a time zone. */
export const HeartbeatSettings = z.strictObject({
  periodSeconds: field(
    z.int().min(10).max(31_536_000).nullable().default(null),
    'Seconds between pings. null with a schedule.',
    3600,
  ),
  cron: field(
    z.string().max(100).nullable().default(null),
    'Schedule, five fields as in Vixie cron. null without.',
    null,
  ),
  onCalendar: field(
    z.string().max(200).nullable().default(null),
    'Schedule, as `OnCalendar=` of a systemd timer. null without.',
    null,
  ),
  timeZone: field(z.string().max(60).nullable().default(null), 'IANA name of a time zone. null: UTC.', null),
  slug: field(
    z
      .string()
      .regex(/^[a-z0-9_-]{1,50}$/, 'must have 1 to 50 of a-z, 0-9, "_" and "-"')
      .nullable()
      .default(null),
    'Name for pings by the ping key of the account, and for check-ins of Sentry SDKs. null: none.',
    null,
  ),
  graceSeconds: field(z.int().min(1).max(31_536_000), 'How late a ping may be, seconds.', 300),
  maxRuntimeSeconds: field(
    z.int().min(1).max(31_536_000).nullable().default(null),
    'Longest run, seconds. null: no limit.',
    null,
  ),
})
export type HeartbeatSettings = z.infer<typeof HeartbeatSettings>
components.add(HeartbeatSettings, { id: 'HeartbeatSettings' })

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
  state: field(HeartbeatStateName, 'State of the heartbeat.'),
  lastPingAt: field(Instant.nullable(), 'Last ping.'),
  nextExpectedAt: field(
    Instant.nullable(),
    'Next ping, without grace; of a schedule also before the first. null while paused, and before the first of a period.',
  ),
  periodSeconds: field(z.int().nullable(), 'Seconds between pings. null with a schedule.', 3600),
  graceSeconds: field(z.int(), 'How late a ping may be, seconds.', 300),
  maxRuntimeSeconds: field(z.int().nullable(), 'Longest run. null: no limit.', null),
  heldDown: field(z.boolean(), 'Whether failures in a row keep it down after a success.', false),
  consecutiveFailures: field(z.int().min(0), 'Failures in a row.', 0),
  latestRun: field(Run.nullable(), 'Newest run.'),
  pingUrl: field(
    z.string().nullable(),
    'URL for pings, without a key. null for a read key.',
    'https://status.example.com/ping/6f2a2f0c-3c3e-4d5e-9a51-0f1f6a1f7c11',
  ),
  slugUrl: field(
    z.string().nullable(),
    'URL for pings by ping key and slug. null without a slug, and for a read key.',
    null,
  ),
})
export type Heartbeat = z.infer<typeof Heartbeat>
components.add(Heartbeat, { id: 'Heartbeat' })
