import { codeOf } from '@probe-mesh/runtime/errors'
import { backoffMs, fullJitter } from '@probe-mesh/runtime/backoff'
import { retry } from '@probe-mesh/runtime/retry'

/** Attempts of one transaction. A failed attempt has waited for the transaction it collided with. */
const attemptsMax = 5
/** The longest waits, ms. All waits together take at most a second. */
const waits = { firstMs: 50, maxMs: 400 }

/** serialization_failure and deadlock_detected */
const conflictStates = new Set(['40001', '40P01'])

/**
 * Whether Postgres ended a transaction because of a concurrent one. Nothing was written, and a retry may
 * succeed.
 */
export const isConflict = (error: unknown): boolean => conflictStates.has(codeOf(error)) || isStalePlan(error)

/**
 * Whether a migration changed a table after a connection prepared its statement. The driver prepares the
 * statement again, and repeats it outside a transaction. In a transaction nothing was written.
 */
export const isStalePlan = (error: unknown): boolean =>
  codeOf(error) === '0A000' && error instanceof Error && error.message.startsWith('cached plan')

/**
 * Retries a transaction a few times after Postgres ended it because of another one. The waits are random, so
 * that the two do not collide again.
 * @param attempt one whole transaction, with no effect other than its writes
 * @param onRepeat called before each retry
 * @param isPassing whether to retry after an error
 * @throws the error of the last attempt, and at once any error that is not a conflict
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
