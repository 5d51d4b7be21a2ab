import { z } from 'zod'
import { field } from '../schema/field.ts'
import { Tag } from '../check/tags.ts'
import { Uuid } from '../schema/ids.ts'
import { Instant, Line } from '../schema/text.ts'
import { read, write, type Route } from '../schema/route.ts'

export const objectivesMax = 50
/** The windows of objectives, in days. */
export const windowDays = [7, 28, 30, 90] as const
/** The windows of burn rates. */
export const burnWindows = ['5m', '30m', '1h', '6h', '3d'] as const
export type BurnWindow = (typeof burnWindows)[number]

const isWholeThousandth = (value: number): boolean => Math.abs(value * 1000 - Math.round(value * 1000)) < 1e-6

const fields = {
  name: field(Line, 'Name of the objective.', 'Checkout'),
  target: field(
    z.number().min(50).max(99.999).refine(isWholeThousandth, 'has more than three decimals'),
    'Share of judged probes that should not fail, percent.',
    99.9,
  ),
  windowDays: field(z.literal(windowDays), 'Window, days: 7, 28, 30 or 90.', 30),
  checkId: field(Uuid.nullable(), 'Check; null for all checks with the tag.'),
  tag: field(Tag.nullable(), 'Tag of the checks, also of later ones; null for one check.', null),
  latencyMsMax: field(
    z.int().min(1).max(60_000).nullable(),
    'Slower probes count as failed, ms; null: only probes that are down do.',
    500,
  ),
  alertRuleId: field(Uuid.nullable(), 'Alert rule whose receivers are notified of burns; null: none.', null),
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
  z.object({
    '5m': field(of, 'Over 5 minutes.', 0),
    '30m': field(of, 'Over 30 minutes.', 0),
    '1h': field(of, 'Over 1 hour.', 0.4),
    '6h': field(of, 'Over 6 hours.', 0.9),
    '3d': field(of, 'Over 3 days.', 0.5),
  })

/**
 * What was measured of an objective (S-3708 to S-3710). Shares and rates are null where no probe was judged: nothing is
 * known, which is neither good nor bad.
 */
const ObjectiveState = z.object({
  at: field(Instant, 'When the probes were counted.'),
  checks: field(z.int(), 'Checks that count now.', 1),
  judged: field(z.int(), 'Scheduled probes in the window that were up or down.', 345_600),
  failed: field(z.int(), 'Of these, probes that were down, or slower than `latencyMsMax`.', 86),
  judgedSince: field(Instant.nullable(), 'Begin of the first hour in the window with a judged probe.'),
  measuredShare: field(z.number(), 'Share of the window in which it was probed, 0 to 1.', 0.998),
  ratio: field(share, 'Share of judged probes that did not fail; null without one.', 0.99975),
  budgetRatio: field(share, 'Share of the error budget that is left; negative if more was spent.', 0.75),
  budgetMinutes: field(z.number(), 'Error budget of the window, minutes of a full outage.', 43.2),
  budgetMinutesLeft: field(share, 'Minutes that are left; only measured time is spent.', 32.4),
  burnRates: field(
    ofWindows(share),
    'How fast the budget is spent; at 1 it lasts exactly the window. null where less than half was probed.',
  ),
  burnMeasuredShares: field(ofWindows(z.number()), 'Shares of these times in which it was probed, 0 to 1.'),
  burns: field(
    z.array(
      z.object({
        rate: field(z.number(), 'Burn rate from which the pair burns.', 14.4),
        long: field(z.enum(burnWindows), 'Longer window of the pair.', '1h'),
        short: field(z.enum(burnWindows), 'Shorter window of the pair.', '5m'),
        budgetShare: field(
          z.number(),
          'Share of the budget of the window that is spent in the longer window at this rate.',
          0.02,
        ),
        spending: field(z.boolean().nullable(), 'Whether both spend at that rate; null: not known.', false),
        reachable: field(z.boolean(), 'False: a full outage burns slower, so it never burns.', true),
      }),
    ),
    'Pairs of windows, and whether both spend at their rate.',
  ),
})
export type ObjectiveState = z.infer<typeof ObjectiveState>

export const Objective = z.object({
  id: field(Uuid, 'Id.'),
  ...fields,
  checkName: field(z.string().nullable(), 'Name of the check.', 'Shop'),
  alerts: field(
    z.array(
      z.object({
        long: field(z.enum(burnWindows), 'Longer window of the pair.', '1h'),
        since: field(Instant, 'When the burn began.'),
      }),
    ),
    'Pairs of windows of which receivers were notified that they burn.',
  ),
  state: field(ObjectiveState.nullable(), 'What was measured; null: the probes cannot be counted now.'),
})
export type Objective = z.infer<typeof Objective>

const params = z.object({ id: field(Uuid, 'Id of the objective.') })

/** Checks that an objective with a latency counts: their single readings are read. */
export const latencyChecksMax = 100

/** Service level objectives of the account. */
export const objectiveRoutes = {
  listObjectives: read({
    path: '/objectives',
    summary: 'Service level objectives by name, with what is left of their error budgets',
    output: z.object({ objectives: field(z.array(Objective), 'Objectives by name.') }),
  }),
  getObjective: read({
    path: '/objectives/:id',
    summary: 'One service level objective',
    params,
    output: Objective,
  }),
} as const satisfies Record<string, Route>

/** Changes of objectives, for the dashboard. */
export const objectiveChangeRoutes = {
  createObjective: write({
    method: 'POST',
    path: '/objectives',
    summary: 'Create a service level objective',
    success: 201,
    body: ObjectiveInput,
    output: z.object({ id: Uuid }),
    codes: ['SV-3002'],
  }),
  updateObjective: write({
    method: 'PATCH',
    path: '/objectives/:id',
    summary: 'Replace the settings of a service level objective',
    params,
    body: ObjectiveInput,
    output: z.object({ id: Uuid }),
  }),
  deleteObjective: write({
    method: 'DELETE',
    path: '/objectives/:id',
    summary: 'Delete a service level objective',
    params,
    output: z.object({ id: Uuid, deleted: z.literal(true) }),
  }),
} as const satisfies Record<string, Route>
