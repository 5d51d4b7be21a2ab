import type { StatusRule } from '@probe-mesh/contracts/check/status-rule'
import type { RegionState } from './state.ts'

/** The rule of a check; absent or null: the default. */
type Rule = StatusRule | null | undefined

/**
 * How many voting regions must fail for `down` (S-904, S-919). Where more than one region is configured, `majority`
 * and `all` need two: silence of the others must not make one region decide.
 */
export const quorumOf = (rule: Rule, voters: number, configured: number): number => {
  if (configured === 1) return 1
  const failingRegions = rule?.failingRegions ?? 'majority'
  switch (failingRegions) {
    case 'majority':
      return Math.max(2, Math.floor(voters / 2) + 1)
    case 'all':
      return Math.max(2, voters)
    case 'any':
      return 1
    default:
      // regions may have been removed since the rule was set
      return Math.min(failingRegions, configured)
  }
}

/** Whether a failing region failed in enough slots in a row (S-920). */
export const failsEnough = (rule: Rule, { fails = 1 }: Pick<RegionState, 'fails'>): boolean => {
  const failures = rule?.failures ?? null
  return failures === null || failures === 1 || fails >= failures
}

/** Whether a first failure counts without a confirmation: never one without an answer. */
export const countsAtOnce = (rule: Rule, unanswered: boolean): boolean => rule?.failures === 1 && !unanswered

/** Slow readings in a row after which a region counts as slow. */
const slowsToCount = 2

/** The latency that the last two readings of a region exceeded; null if it is not slow (S-921). */
export const exceededMs = (
  rule: Rule,
  { verdict, latencyMs, slows = 0 }: Pick<RegionState, 'verdict' | 'latencyMs' | 'slows'>,
): number | null => {
  const slowMs = rule?.slowMs ?? null
  const isSlow = slowMs !== null && verdict === 'up' && slows >= slowsToCount && (latencyMs ?? 0) > slowMs
  return isSlow ? slowMs : null
}

/** The slow readings in a row of a region after a reading; absent if it was not slow. */
export const slowsAfter = (
  rule: Rule,
  { verdict, latencyMs }: { verdict: string; latencyMs: number | null },
  { slows = 0 }: Pick<RegionState, 'slows'>,
): Pick<RegionState, 'slows'> => {
  const slowMs = rule?.slowMs ?? null
  const isSlow = slowMs !== null && verdict === 'up' && (latencyMs ?? 0) > slowMs
  return isSlow ? { slows: Math.min(slowsToCount, slows + 1) } : {}
}
