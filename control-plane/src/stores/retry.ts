import { codeOf } from '@probe-mesh/runtime/errors'
import type { Next } from '@probe-mesh/runtime/loop'
import { backoffMs, halfJitter } from '@probe-mesh/runtime/backoff'
import { retry } from '@probe-mesh/runtime/retry'
import { isRejectedByClickHouse } from './clickhouse/connect.ts'
import { isConflict } from './postgres/conflict.ts'
import { isPostgresUnavailable } from './postgres/connect.ts'
import { isRejectedByPostgres } from './postgres/rejected.ts'

const waits = { firstMs: 100, maxMs: 5_000 }

/** Ends a retry because its loop is closing. The work is left for the next start. */
export class Closing extends Error {
  override readonly name = 'Closing'
}

/** A round of a loop that ends the loop and leaves its work for the next start. */
export const untilClosing =
  (round: () => Promise<Next>): (() => Promise<Next>) =>
  async () => {
    try {
      return await round()
    } catch (error) {
      if (error instanceof Closing) return 'end'
      throw error
    }
  }

/**
 * How to react to an error: `wait` for a database that is unavailable or busy, `give_up` if a retry cannot
 * help.
 */
const reactionTo = (error: unknown): 'wait' | 'give_up' => {
  // a value that no statement can contain, such as one that overflows the stack
  if (isRejectedByClickHouse(error) || error instanceof RangeError) return 'give_up'
  if (isPostgresUnavailable(error) || isConflict(error)) return 'wait'
  // any other SQLSTATE means a wrong statement
  return /^[0-9A-Z]{5}$/.test(codeOf(error)) ? 'give_up' : 'wait'
}

/**
 * Whether the data caused a failure, in a database or in our own code: the same data fails again, and other
 * data may not. Any other failure is of a database, or of an invariant of ours.
 */
export const isOfTheData = (error: unknown): boolean =>
  isRejectedByClickHouse(error) ||
  isRejectedByPostgres(error) ||
  error instanceof RangeError ||
  error instanceof TypeError ||
  error instanceof SyntaxError

/**
 * Retries an attempt while its database is unavailable, with doubling waits and half jitter.
 * @throws Closing once the signal aborts, and any error that a retry cannot help
 */
export const retryWhileUnavailable = <T>(
  attempt: () => Promise<T>,
  { signal, onWait }: { signal: AbortSignal; onWait(error: unknown, waitMs: number): void },
): Promise<T> =>
  retry(attempt, {
    signal,
    waitMs: (error, failures) => {
      if (reactionTo(error) === 'give_up') return null
      if (signal.aborted) throw new Closing('closing', { cause: error })
      const waitMs = Math.round(halfJitter(backoffMs(waits, failures), Math.random()))
      onWait(error, waitMs)
      return waitMs
    },
  })
