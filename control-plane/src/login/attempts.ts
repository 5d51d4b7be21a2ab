import type { Attempts } from '../postgres/login-attempts.ts'

export type AttemptRule = {
  /** Attempts at once, before there is any wait: people mistype. */
  freeAttempts: number
  /** Doubled by each attempt, to `waitMsMax`. */
  firstWaitMs: number
  waitMsMax: number
}

const waitMsMax = 15 * 60_000

/** About one e-mail address, whoever asks: five at once, then 2 s, 4 s, 8 s, ... */
export const emailRule: AttemptRule = { freeAttempts: 5, firstWaitMs: 2_000, waitMsMax }

/** From one network, about whomever: an office has many people behind one address. */
export const networkRule: AttemptRule = { freeAttempts: 30, firstWaitMs: 2_000, waitMsMax }

/** Mails to one address: each costs its owner some attention. */
export const mailRule: AttemptRule = { freeAttempts: 3, firstWaitMs: 30_000, waitMsMax }

/** Accounts that one network asks for: each costs a row and a mail, and is for one person. */
export const signUpRule: AttemptRule = { freeAttempts: 10, firstWaitMs: 30_000, waitMsMax }

/** Attempts are forgotten when none was added for this time. */
export const attemptsKeptMs = 24 * 3_600_000

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
  const waitMs = excess < 0 ? 0 : Math.min(rule.waitMsMax, rule.firstWaitMs * 2 ** excess)
  return { failures, blockedUntilMs: nowMs + waitMs }
}
