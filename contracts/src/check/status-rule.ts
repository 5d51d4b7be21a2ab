import { inFigures } from '../schema/in-figures.ts'
import { z } from 'zod'
import { limits } from '../schema/limits.ts'
import type { FieldProblem } from '../schema/refusal.ts'
import { read, type Route } from '../schema/route.ts'
import { CheckParams } from './check.ts'

export const failuresMax = 10
export const slowMsMax = 60_000

/** How many of a check's regions must fail at one time for `down`: by name, or a number of them. */
const FailingRegions = z.union(
  [z.enum(['majority', 'any', 'all']), z.int().min(1).max(limits.regionsPerCheckMax)],
  `must be majority, any, all, or a number of regions from 1 to ${limits.regionsPerCheckMax}`,
)

/** What decides the status of a check that regions measure (S-919 to S-922). Absent fields have their defaults. */
export const StatusRule = z.strictObject({
  failingRegions: FailingRegions.default('majority'),
  /** Failed slots in a row until a region counts; null: two readings, since all regions measure again at once. */
  failures: z.int().min(1).max(failuresMax).nullable().default(null),
  /** `degraded` while most regions that are up are slower in their last two readings; null: never. */
  slowMs: z.int().min(1).max(slowMsMax).nullable().default(null),
})
export type StatusRule = z.infer<typeof StatusRule>

export const defaultStatusRule: StatusRule = { failingRegions: 'majority', failures: null, slowMs: null }

export const isDefaultRule = ({ failingRegions, failures, slowMs }: StatusRule): boolean =>
  failingRegions === 'majority' && failures === null && slowMs === null

/** A rule in one or two sentences: "Down when any of 4 regions fails in 2 slots in a row." */
export const statusRuleText = ({ failingRegions, failures, slowMs }: StatusRule, regions: number): string => {
  const failing = failingText(failingRegions, regions)
  const each = failing.endsWith('at one time') && failures !== null ? ', each' : ''
  const down = `Down when ${failing}${each}${failuresText(failures)}.`
  if (slowMs === null) return down
  const whose = regions === 1 ? 'its last two readings' : 'the last two readings of most regions that are up'
  return `${down} Degraded when ${whose} took longer than ${inFigures(slowMs)} ms.`
}

const failuresText = (failures: number | null): string => {
  if (failures === null) return ''
  return failures === 1 ? ' once' : ` in ${failures} slots in a row`
}

const failingText = (failingRegions: StatusRule['failingRegions'], regions: number): string => {
  if (regions === 1) return 'its region fails'
  switch (failingRegions) {
    case 'majority':
      return `most of ${regions} regions fail at one time`
    case 'any':
      return `any of ${regions} regions fails`
    case 'all':
      return `all of ${regions} regions fail at one time`
    default: {
      const needed = Math.min(failingRegions, regions)
      return needed === 1
        ? `any of ${regions} regions fails`
        : `${needed} of ${regions} regions fail at one time`
    }
  }
}

/**
 * Why a rule could never apply to a check, by field; empty if it could.
 * @param attemptMs the timeout of one attempt; null: not known
 */
export const statusRuleProblems = (
  { failingRegions, slowMs }: StatusRule,
  { regions, attemptMs }: { regions: number; attemptMs: number | null },
): FieldProblem[] => [
  ...(typeof failingRegions === 'number' && failingRegions > regions
    ? [
        {
          path: 'failingRegions',
          message: `this check has ${regions === 1 ? 'one region' : `${regions} regions`}: name at most ${regions}, or all`,
        },
      ]
    : []),
  ...(slowMs !== null && attemptMs !== null && slowMs >= attemptMs
    ? [
        {
          path: 'slowMs',
          message: `a probe of this check ends after ${inFigures(attemptMs)} ms, so none is slower: name less`,
        },
      ]
    : []),
]

/** The rule of a check; `text` says it, and is null for a heartbeat, whose deadline decides. */
export const CheckStatusRule = z.object({ rule: StatusRule, text: z.string().nullable() })
export type CheckStatusRule = z.infer<typeof CheckStatusRule>

export const statusRuleRoutes = {
  getStatusRule: read({
    path: '/checks/:id/status-rule',
    summary: 'What decides whether a check is down or degraded',
    params: CheckParams,
    output: CheckStatusRule,
  }),
} as const satisfies Record<string, Route>
