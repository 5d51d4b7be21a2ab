import { pause } from '@probe-mesh/runtime/pause'
import { isRejectedByClickHouse } from './clickhouse/connect.ts'
import { isConflict } from './postgres/conflict.ts'
import { errorCode, isPostgresAway } from './postgres/connect.ts'
import { isRejectedByPostgres } from './postgres/rejected.ts'

const firstWaitMs = 100
const waitMsMax = 5_000

/** Thrown out of a retry when its loop is closing: the work is left for the next start. */
export class Closing extends Error {
  override readonly name = 'Closing'
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
