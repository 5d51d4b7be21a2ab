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

/** The run of slow readings of a region. */
type SlowRun = Pick<RegionState, 'slows' | 'slowLatencyMs'>

/** The latency that the last two readings of a region exceeded that have one; null if it is not slow (S-921). */
export const exceededMs = (
  rule: Rule,
  state: Pick<RegionState, 'verdict' | 'latencyMs'> & SlowRun,
): number | null => {
  const slowMs = rule?.slowMs ?? null
  const { verdict, slows = 0 } = state
  const knownMs = knownLatencyMs(state)
  const isSlow = verdict === 'up' && slows >= slowsToCount && knownMs !== null && slowMs !== null
  return isSlow && knownMs > slowMs ? slowMs : null
}

/** The run after a reading; empty if it was fast. A busy agent leaves the latency out: it counts neither way. */
export const slowRunAfter = (
  rule: Rule,
  { verdict, latencyMs }: { verdict: string; latencyMs: number | null },
  before: Pick<RegionState, 'latencyMs'> & SlowRun,
): SlowRun => {
  const slowMs = rule?.slowMs ?? null
  const { slows = 0 } = before
  if (slowMs === null || verdict !== 'up') return {}
  if (latencyMs !== null) return latencyMs > slowMs ? { slows: Math.min(slowsToCount, slows + 1) } : {}
  const slowLatencyMs = knownLatencyMs(before)
  return slows === 0 || slowLatencyMs === null ? {} : { slows, slowLatencyMs }
}

const knownLatencyMs = ({ latencyMs, slowLatencyMs }: Pick<RegionState, 'latencyMs'> & SlowRun) =>
  latencyMs ?? slowLatencyMs ?? null
