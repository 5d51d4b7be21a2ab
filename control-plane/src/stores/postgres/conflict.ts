import { backoffMs, fullJitter } from '@probe-mesh/runtime/backoff'
import { retry } from '@probe-mesh/runtime/retry'
import { errorCode } from './connect.ts'

/** Tries of one transaction in all; each that loses has waited for what it collided with. */
const attemptsMax = 5
/** The longest waits; all of them together take a second at most. */
const waits = { firstMs: 50, maxMs: 400 }

/** serialization_failure and deadlock_detected */
const conflictStates = new Set(['40001', '40P01'])

/**
 * Whether Postgres ended a transaction because of another one beside it: nothing of it was written, and
 * the same again may well succeed.
 */
export const isConflict = (error: unknown): boolean =>
  conflictStates.has(errorCode(error) ?? '') || isStalePlan(error)

/**
 * Whether a migration changed a table since a connection prepared its statement. The driver prepares it anew, and
 * repeats it where it is alone; of a transaction nothing was written.
 */
export const isStalePlan = (error: unknown): boolean =>
  errorCode(error) === '0A000' && error instanceof Error && error.message.startsWith('cached plan')

/**
 * Does a transaction again where Postgres ended it because of another one, a few times, after waits left to
 * chance so that two do not meet again.
 * @param attempt one whole transaction, which has no effect but what it writes
 * @param onRepeat told before each repetition
 * @param isPassing whether to do it again
 * @throws what the last attempt throws, and at once whatever is no conflict
 */
export const repeatOnConflict = async <T>(
  attempt: () => Promise<T>,
  onRepeat: () => void = () => undefined,
  isPassing: (error: unknown) => boolean = isConflict,
): Promise<T> =>
  retry(attempt, {
    waitMs: (error, failures) => {
      if (failures === attemptsMax || !isPassing(error)) return null
      onRepeat()
      return fullJitter(backoffMs(waits, failures), Math.random())
    },
  })
