import { pause } from '@probe-mesh/bus/pause'
import { isRejectedByClickHouse } from './clickhouse/connect.ts'
import { isConflict } from './postgres/conflict.ts'
import { errorCode, isPostgresAway } from './postgres/connect.ts'
import { isRejectedByPostgres } from './postgres/rejected.ts'

const firstWaitMs = 100
const waitMsMax = 5_000

/** Ends a retry because its loop is closing. The work is left for the next start. */
export class Closing extends Error {
  override readonly name = 'Closing'
}

/**
 * How to react to an error: `wait` for a database that is unavailable or busy, `give_up` if a retry cannot
 * help.
 */
export const reactionTo = (error: unknown): 'wait' | 'give_up' => {
  // a value that no statement can contain, such as one that overflows the stack
  if (isRejectedByClickHouse(error) || error instanceof RangeError) return 'give_up'
  if (isPostgresAway(error) || isConflict(error)) return 'wait'
  // any other SQLSTATE means a wrong statement
  return /^[0-9A-Z]{5}$/.test(errorCode(error) ?? '') ? 'give_up' : 'wait'
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
 * Retries an attempt while its database is unavailable, with doubling waits and full jitter.
 * @throws Closing once the signal aborts, and any error that a retry cannot help
 */
export const retryWhileAway = async <T>(
  attempt: () => Promise<T>,
  options: { signal: AbortSignal; onWait(error: unknown, waitMs: number): void },
): Promise<T> => {
  for (let wait = firstWaitMs; ; wait = Math.min(waitMsMax, wait * 2)) {
    try {
      return await attempt()
    } catch (error) {
      if (reactionTo(error) === 'give_up') throw error
      if (options.signal.aborted) throw new Closing('closing', { cause: error })
      const waitMs = Math.round(wait * (0.5 + Math.random() / 2))
      options.onWait(error, waitMs)
      await pause(waitMs, options.signal)
    }
  }
}
