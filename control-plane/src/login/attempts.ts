import { backoffMs } from '@probe-mesh/runtime/backoff'
import type { AttemptRule } from '@probe-mesh/contracts/account/login-rules'
import type { Attempts } from './login-attempts-store.ts'

/**
 * Counts the next attempt on a subject. It counts as a failure until it succeeds, so that concurrent attempts count
 * like consecutive ones. Pure.
 * @param known null without earlier attempts
 * @returns the attempts including this one, or the milliseconds until one is allowed
 */
export const nextAttempt = (
  known: Attempts | null,
  rule: AttemptRule,
  nowMs: number,
): Attempts | { waitMs: number } => {
  if (known !== null && known.blockedUntilMs > nowMs) {
    return { waitMs: known.blockedUntilMs - nowMs }
  }
  const failures = (known?.failures ?? 0) + 1
  const excess = failures - rule.freeAttempts
  const waitMs = excess < 0 ? 0 : backoffMs({ firstMs: rule.firstWaitMs, maxMs: rule.waitMsMax }, excess + 1)
  // 0 also allows an attempt that came a moment earlier and is counted later
  return { failures, blockedUntilMs: waitMs === 0 ? 0 : nowMs + waitMs }
}

/** When the count of attempts expires if there is no further one. Pure. */
export const forgottenAtMs = ({ blockedUntilMs }: Attempts, { keptMs }: AttemptRule, nowMs: number): number =>
  Math.max(nowMs, blockedUntilMs) + keptMs
