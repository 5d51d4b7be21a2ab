import { startLoop } from '@probe-mesh/runtime/loop'

const firstWaitMs = 1_000
/** The clock is read this often, because it may be changed during a wait. */
const clockCheckMs = 1_000

export type Repeater = {
  /** Starts the next run at once. */
  wake(): void
  /** Resolves when the signal has aborted and the last run has ended. */
  readonly ended: Promise<void>
}

/**
 * Runs an act at once and then every `everyMs` by the clock `now`, one run at a time. Failed runs are retried
 * with doubling waits up to `everyMs`.
 * @param options.onFailure receives the error of a failed run, except after the signal
 */
export const repeatEvery = (
  act: () => Promise<void>,
  options: {
    everyMs: number
    now: () => number
    signal: AbortSignal
    onFailure: (error: unknown) => void
  },
): Repeater => {
  const { everyMs, now, signal, onFailure } = options
  let startedMs = Number.NEGATIVE_INFINITY
  const isDue = (): boolean => now() >= startedMs + everyMs || now() < startedMs
  const makeDue = (): void => {
    startedMs = Number.NEGATIVE_INFINITY
  }
  const loop = startLoop({
    everyMs: () => Math.min(clockCheckMs, startedMs + everyMs - now()),
    round: async () => {
      if (signal.aborted || !isDue()) return
      startedMs = now()
      await act()
    },
    onError: (error, closing) => {
      makeDue()
      if (!closing.aborted) onFailure(error)
    },
    retryMs: (failures) => Math.min(everyMs, firstWaitMs * 2 ** Math.min(failures - 1, 20)),
  })
  const close = (): void => void loop.close()
  if (signal.aborted) close()
  else signal.addEventListener('abort', close, { once: true })
  return {
    wake: () => {
      makeDue()
      loop.wake()
    },
    ended: loop.ended,
  }
}
