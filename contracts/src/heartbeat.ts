import { z } from 'zod'

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
