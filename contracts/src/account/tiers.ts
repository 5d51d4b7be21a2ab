import { z } from 'zod'

/** How long readings (`rawDays`) and their hourly figures (`hourDays`) are kept, in days, by plan (S-719). */
const retentionDefault = {
  free: { rawDays: 7, hourDays: 90 },
  growth: { rawDays: 30, hourDays: 400 },
  scale: { rawDays: 90, hourDays: 800 },
} as const

/** The plan of an account: Free, Growth or Scale. The code says "tier", since the CLI and Terraform have plans. */
export const Tier = z.enum(['free', 'growth', 'scale'])
export type Tier = z.infer<typeof Tier>

export const TierLimits = z.object({
  /** Maximum number of checks, of all types. */
  monitors: z.int(),
  intervalSecondsMin: z.int(),
  statusPages: z.int(),
  /** Maximum number of private agents, without revoked ones. */
  agents: z.int(),
  /** Retention of readings and of their rollups, in days. */
  rawDays: z.int(),
  hourDays: z.int(),
  /** Stored error events in a UTC month, over all projects. */
  errorEventsPerMonth: z.int(),
  /** Whether the account may use the REST API and write tools. */
  rest: z.boolean(),
})
export type TierLimits = z.infer<typeof TierLimits>

/** The limits of each plan (S-2101, S-2102). The operator may override them with `TIER_OVERRIDES`. */
export const tiersDefault: Readonly<Record<Tier, TierLimits>> = {
  free: {
    monitors: 10,
    intervalSecondsMin: 300,
    statusPages: 1,
    agents: 1,
    ...retentionDefault.free,
    errorEventsPerMonth: 5_000,
    rest: false,
  },
  growth: {
    monitors: 100,
    intervalSecondsMin: 60,
    statusPages: 5,
    agents: 5,
    ...retentionDefault.growth,
    errorEventsPerMonth: 100_000,
    rest: true,
  },
  scale: {
    monitors: 5_000,
    intervalSecondsMin: 10,
    statusPages: 50,
    agents: 50,
    ...retentionDefault.scale,
    errorEventsPerMonth: 1_000_000,
    rest: true,
  },
}
