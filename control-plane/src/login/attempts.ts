import { backoffMs } from '@probe-mesh/runtime/backoff'
import type { AttemptRule } from '@probe-mesh/contracts/account/login-rules'
import type { Attempts } from './login-attempts-store.ts'

/**
 * The next attempt about a subject. It counts as a failure until it is known to be none: many at the
 * same time are then like many one after another. Pure.
 * @param known null where nothing is known of the subject
 * @returns the attempts with this one, or the milliseconds until one is allowed
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
  const waitMs =
    excess < 0 ? 0 : backoffMs({ firstMs: rule.firstWaitMs, maxMs: rule.waitMsMax }, excess + 1)
  // without a wait nothing is blocked, also for an attempt that came a moment earlier and is counted later
  return { failures, blockedUntilMs: waitMs === 0 ? 0 : nowMs + waitMs }
}

/** When attempts are forgotten if none is added. Pure. */
export const forgottenAtMs = (
  { blockedUntilMs }: Attempts,
  { keptMs }: AttemptRule,
  nowMs: number,
): number => Math.max(nowMs, blockedUntilMs) + keptMs
