import type { Next } from '@probe-mesh/runtime/loop'
import { backoffMs, halfJitter } from '@probe-mesh/runtime/backoff'
import { retry } from '@probe-mesh/runtime/retry'
import { isRejectedByClickHouse } from './clickhouse/connect.ts'
import { isConflict } from './postgres/conflict.ts'
import { errorCode, isPostgresAway } from './postgres/connect.ts'
import { isRejectedByPostgres } from './postgres/rejected.ts'

const waits = { firstMs: 100, maxMs: 5_000 }

/** Thrown out of a retry when its loop is closing: the work is left for the next start. */
export class Closing extends Error {
  override readonly name = 'Closing'
}

/** A round of a loop that ends the loop where its work was left for the next start. */
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
 * What to do about an error, named by the action: `wait` for a store that is
 * away or busy with others, `give_up` on what the same again would not heal.
 */
export const reactionTo = (error: unknown): 'wait' | 'give_up' => {
  // a value that no statement can be made of, such as one that overflows the stack
  if (isRejectedByClickHouse(error) || error instanceof RangeError) return 'give_up'
  if (isPostgresAway(error) || isConflict(error)) return 'wait'
  // any other SQLSTATE is a statement that is wrong
  return /^[0-9A-Z]{5}$/.test(errorCode(error) ?? '') ? 'give_up' : 'wait'
}

/**
 * Whether what failed was the data, refused by a store or thrown upon by our own code: the same again fails
 * again, and other data need not. Anything else is the fault of a store, or of an invariant of ours.
 */
export const isOfTheData = (error: unknown): boolean =>
  isRejectedByClickHouse(error) ||
  isRejectedByPostgres(error) ||
  error instanceof RangeError ||
  error instanceof TypeError ||
  error instanceof SyntaxError

/**
 * Repeats an attempt while its store is away, with doubling waits and full jitter.
 * @throws Closing once the signal aborts, and whatever repeating cannot heal
 */
export const retryWhileAway = <T>(
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
