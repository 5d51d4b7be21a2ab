import { backoffMs, fullJitter } from '@probe-mesh/runtime/backoff'
import type { SendFailure } from './send-result.ts'

const tries = { firstMs: 5_000, maxMs: 15 * 60_000 }
/** Failures in a row after which a channel's circuit opens. */
const failuresMax = 5
const open = { firstMs: 60_000, maxMs: 30 * 60_000 }

/** What becomes of a delivery whose try has failed. */
export type NextTry = { state: 'pending'; atMs: number } | { state: 'dead' }

/**
 * When a message is tried again: full jitter under a doubling bound, at least as long as the
 * receiver asks for, and not at all where it says no or the message would come too late (S-2007, S-2008).
 * @param attempts tries so far, this one included
 * @param random in [0, 1)
 */
export const nextTry = (
  failure: SendFailure,
  { attempts, expiresAtMs }: { attempts: number; expiresAtMs: number },
  nowMs: number,
  random: () => number,
): NextTry => {
  if (failure.next === 'give_up') return { state: 'dead' }
  const bound = backoffMs(tries, attempts)
  const atMs = nowMs + Math.max(Math.ceil(fullJitter(bound, random())), failure.retryAfterMs ?? 0)
  return atMs < expiresAtMs ? { state: 'pending', atMs } : { state: 'dead' }
}

/** A channel's circuit: failures in a row, and until when nothing is tried; null: it is closed. */
export type Circuit = { failures: number; openUntilMs: number | null }

export const closedCircuit: Circuit = { failures: 0, openUntilMs: null }

/**
 * A channel's circuit after a failed try: it opens at the fifth failure in a row, for a minute, and
 * twice as long at each that follows. When the time is over one message is tried, since a channel
 * has one in flight at most. Who asks for fewer messages works: that is no failure (S-2009).
 */
export const circuitAfter = (circuit: Circuit, failure: SendFailure, nowMs: number): Circuit => {
  if (failure.kind === 'throttled') return circuit
  const failures = circuit.failures + 1
  if (failures < failuresMax) return { failures, openUntilMs: null }
  const openMs = backoffMs(open, failures - failuresMax + 1)
  return { failures, openUntilMs: nowMs + openMs }
}
