import { z } from 'zod'

/** What an account pays for. Never "plan": that word is the CLI's and Terraform's. */
export const Tier = z.enum(['free', 'growth', 'scale'])
export type Tier = z.infer<typeof Tier>

export const TierLimits = z.object({
  /** Checks of any type that the account may own. */
  monitors: z.int(),
  intervalSecondsMin: z.int(),
  statusPages: z.int(),
  /** Agents of its own that measure from inside its network; a revoked one does not count. */
  agents: z.int(),
  /** How long readings and their rollups are kept, in days. */
  rawDays: z.int(),
  hourDays: z.int(),
  /** Events of error tracking that are stored in a month of UTC, of all projects together. */
  errorEventsPerMonth: z.int(),
  /** Whether the REST API and write tools are open to the account at all. */
  rest: z.boolean(),
})
export type TierLimits = z.infer<typeof TierLimits>

/** What each tier may have (S-2101, S-2102); the operator may override a row (`TIER_OVERRIDES`). */
export const tiersDefault: Readonly<Record<Tier, TierLimits>> = {
  free: {
    monitors: 10,
    intervalSecondsMin: 300,
    statusPages: 1,
    agents: 1,
    rawDays: 7,
    hourDays: 90,
    errorEventsPerMonth: 5_000,
    rest: false,
  },
  growth: {
    monitors: 100,
    intervalSecondsMin: 60,
    statusPages: 5,
    agents: 5,
    rawDays: 30,
    hourDays: 400,
    errorEventsPerMonth: 100_000,
    rest: true,
  },
  scale: {
    monitors: 5_000,
    intervalSecondsMin: 10,
    statusPages: 50,
    agents: 50,
    rawDays: 90,
    hourDays: 800,
    errorEventsPerMonth: 1_000_000,
    rest: true,
  },
}
