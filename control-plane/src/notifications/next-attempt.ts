import { backoffMs, fullJitter } from '@probe-mesh/runtime/backoff'
import type { SendFailure } from './outgoing/send-result.ts'

const tries = { firstMs: 5_000, maxMs: 15 * 60_000 }
/** Failures in a row after which a channel's circuit opens. */
const failuresMax = 5
const open = { firstMs: 60_000, maxMs: 30 * 60_000 }

/** The state of a delivery after a failed attempt. */
export type NextAttempt = { state: 'pending'; atMs: number } | { state: 'dead' }

/**
 * When a message is retried: full jitter under a doubling bound, at least the wait that the receiver
 * requests, and never when the receiver refuses the message or it would be too late (S-2007, S-2008).
 * @param attempts attempts so far, including this one
 * @param random in [0, 1)
 */
export const nextAttempt = (
  failure: SendFailure,
  { attempts, expiresAtMs }: { attempts: number; expiresAtMs: number },
  nowMs: number,
  random: () => number,
): NextAttempt => {
  if (failure.next === 'fail') return { state: 'dead' }
  const bound = backoffMs(tries, attempts)
  const atMs = nowMs + Math.max(Math.ceil(fullJitter(bound, random())), failure.retryAfterMs ?? 0)
  return atMs < expiresAtMs ? { state: 'pending', atMs } : { state: 'dead' }
}

/** A channel's circuit breaker: failures in a row, and until when no message is sent; null: closed. */
export type Circuit = { failures: number; openUntilMs: number | null }

export const closedCircuit: Circuit = { failures: 0, openUntilMs: null }

/**
 * Whether a channel's messages do not arrive: its receiver refuses one for good, or fails in a row. A receiver
 * that asks for fewer messages works (S-2025).
 */
export const isFailing = (failure: SendFailure, next: NextAttempt, circuit: Circuit): boolean =>
  failure.kind !== 'throttled' && (next.state === 'dead' || circuit.failures >= failuresMax)

/**
 * A channel's circuit after a failed attempt. It opens at the fifth failure in a row, for a minute, and
 * twice as long after each further one. Then one message is tried, since a channel has at most one in
 * flight. A receiver that asks for fewer messages works: that is no failure (S-2009).
 */
export const circuitAfter = (circuit: Circuit, failure: SendFailure, nowMs: number): Circuit => {
  if (failure.kind === 'throttled') return circuit
  const failures = circuit.failures + 1
  if (failures < failuresMax) return { failures, openUntilMs: null }
  const openMs = backoffMs(open, failures - failuresMax + 1)
  return { failures, openUntilMs: nowMs + openMs }
}
