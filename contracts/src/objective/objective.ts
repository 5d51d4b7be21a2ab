import { z } from 'zod'
import { Tag } from '../check/tags.ts'
import { Uuid } from '../schema/ids.ts'
import { Instant, Line } from '../schema/text.ts'
import type { Route } from '../schema/route.ts'

export const objectivesMax = 50
/** The windows of objectives, in days. */
export const windowDays = [7, 28, 30, 90] as const
/** The windows of burn rates. */
export const burnWindows = ['5m', '30m', '1h', '6h', '3d'] as const
export type BurnWindow = (typeof burnWindows)[number]

const isWholeThousandth = (value: number): boolean => Math.abs(value * 1000 - Math.round(value * 1000)) < 1e-6

const fields = {
  name: Line,
  /** The share of judged probes that should be up, in percent. */
  target: z.number().min(50).max(99.999).refine(isWholeThousandth, 'has more than three decimals'),
  windowDays: z.literal(windowDays),
  /** The check, or null for all checks with the tag. */
  checkId: Uuid.nullable(),
  /** Of all checks that have it, also of later ones. */
  tag: Tag.nullable(),
  /** Up probes that took longer count as failed, ms; null: only probes that are down do. */
  latencyMsMax: z.int().min(1).max(60_000).nullable(),
  /** The rule whose receivers are notified when a burn begins and ends; null: none are. */
  alertRuleId: Uuid.nullable(),
}

export const ObjectiveInput = z
  .strictObject({
    ...fields,
    checkId: fields.checkId.default(null),
    tag: fields.tag.default(null),
    latencyMsMax: fields.latencyMsMax.default(null),
    alertRuleId: fields.alertRuleId.default(null),
  })
  .refine(({ checkId, tag }) => (checkId === null) !== (tag === null), {
    path: ['tag'],
    message: 'name either a check or a tag',
  })
export type ObjectiveInput = z.infer<typeof ObjectiveInput>

const share = z.number().nullable()
const ofWindows = <T extends z.ZodType>(of: T) =>
  z.object({ '5m': of, '30m': of, '1h': of, '6h': of, '3d': of })

/**
 * What was measured of an objective (S-3708 to S-3710). Shares and rates are null where no probe was judged: nothing is
 * known, which is neither good nor bad.
 */
const ObjectiveState = z.object({
  at: Instant,
  /** How many checks count now. */
  checks: z.int(),
  /** Scheduled probes in the window that were up or down, and those that were down or slower than `latencyMsMax`. */
  judged: z.int(),
  failed: z.int(),
  /** The begin of the first hour in the window with a judged probe. */
  judgedSince: Instant.nullable(),
  /** The share of the window in which it was probed, 0 to 1. */
  measuredShare: z.number(),
  /** The share of judged probes that did not fail. */
  ratio: share,
  /** The share of the error budget that is left; negative if more was spent. */
  budgetRatio: share,
  /** The error budget of the window, and what is left of it, as minutes of a full outage; only measured time is spent. */
  budgetMinutes: z.number(),
  budgetMinutesLeft: share,
  /** How fast the budget is spent: at 1 it lasts exactly the window. null where less than half of the time was probed. */
  burnRates: ofWindows(share),
  /** The shares of these times in which it was probed, 0 to 1. */
  burnMeasuredShares: ofWindows(z.number()),
  /** Pairs of windows that both spend at least at a rate. `spending` null: not known in one of them. */
  burns: z.array(
    z.object({
      rate: z.number(),
      long: z.enum(burnWindows),
      short: z.enum(burnWindows),
      spending: z.boolean().nullable(),
      /** False: a full outage burns slower than this rate, so that the pair never burns. */
      reachable: z.boolean(),
    }),
  ),
})
export type ObjectiveState = z.infer<typeof ObjectiveState>

export const Objective = z.object({
  id: Uuid,
  ...fields,
  /** The name of the check. */
  checkName: z.string().nullable(),
  /** Pairs of windows of which receivers were told that they burn, by their longer one. */
  alerts: z.array(z.object({ long: z.enum(burnWindows), since: Instant })),
  /** null: its probes cannot be counted now. */
  state: ObjectiveState.nullable(),
})
export type Objective = z.infer<typeof Objective>

const params = z.object({ id: Uuid })

/** Checks that an objective with a latency counts: their single readings are read. */
export const latencyChecksMax = 100

/** Service level objectives of the account. */
export const objectiveRoutes = {
  listObjectives: {
    method: 'GET',
    path: '/objectives',
    scope: 'read',
    budget: 'reads',
    summary: 'Service level objectives by name, with what is left of their error budgets',
    success: 200,
    output: z.object({ objectives: z.array(Objective) }),
  },
  getObjective: {
    method: 'GET',
    path: '/objectives/:id',
    scope: 'read',
    budget: 'reads',
    summary: 'One service level objective',
    success: 200,
    params,
    output: Objective,
  },
} as const satisfies Record<string, Route>

/** Changes of objectives, for the dashboard. */
export const objectiveChangeRoutes = {
  createObjective: {
    method: 'POST',
    path: '/objectives',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Create a service level objective',
    success: 201,
    body: ObjectiveInput,
    output: z.object({ id: Uuid }),
    codes: ['SV-3002'],
  },
  updateObjective: {
    method: 'PATCH',
    path: '/objectives/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Replace the settings of a service level objective',
    success: 200,
    params,
    body: ObjectiveInput,
    output: z.object({ id: Uuid }),
  },
  deleteObjective: {
    method: 'DELETE',
    path: '/objectives/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Delete a service level objective',
    success: 200,
    params,
    output: z.object({ id: Uuid, deleted: z.literal(true) }),
  },
} as const satisfies Record<string, Route>
