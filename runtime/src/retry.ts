import { pause as pauseDefault, type Pause } from './pause.ts'

type RetryOptions = {
  /**
   * The wait after a failure, ms; null throws the error instead of retrying.
   * @param failures consecutive failures, from 1
   */
  waitMs(error: unknown, failures: number): number | null
  /** Ends the current wait. One last attempt follows. */
  signal?: AbortSignal
  pause?: Pause
}

/** Repeats an attempt until it succeeds. @throws the error of the last attempt */
export const retry = async <T>(
  attempt: () => Promise<T>,
  { waitMs, signal, pause = pauseDefault }: RetryOptions,
): Promise<T> => {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      const ms = waitMs(error, failures)
      if (ms === null || signal?.aborted === true) throw error
      await pause(ms, signal)
    }
  }
}
