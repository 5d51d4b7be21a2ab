import { startLoop } from '@probe-mesh/runtime/loop'

const firstWaitMs = 1_000
/** How often the clock is read: it may be moved during a wait. */
const lookMs = 1_000

export type Pace = {
  /** Starts the next run at once. */
  wake(): void
  /** Resolves when the signal has aborted and the last run is over. */
  readonly over: Promise<void>
}

/**
 * Runs an act now and then every `everyMs` by the clock `now`, one run at a time. Failed runs are
 * retried with doubling waits up to `everyMs`.
 * @param options.onFailure receives what a run threw, except after the signal
 */
export const repeatEvery = (
  act: () => Promise<void>,
  options: {
    everyMs: number
    now: () => number
    signal: AbortSignal
    onFailure: (error: unknown) => void
  },
): Pace => {
  const { everyMs, now, signal, onFailure } = options
  let startedMs = Number.NEGATIVE_INFINITY
  const isDue = (): boolean => now() >= startedMs + everyMs || now() < startedMs
  const beDue = (): void => {
    startedMs = Number.NEGATIVE_INFINITY
  }
  const loop = startLoop({
    everyMs: () => Math.min(lookMs, startedMs + everyMs - now()),
    round: async () => {
      if (signal.aborted || !isDue()) return
      startedMs = now()
      await act()
    },
    onError: (error, closing) => {
      beDue()
      if (!closing.aborted) onFailure(error)
    },
    retryMs: (failures) => Math.min(everyMs, firstWaitMs * 2 ** Math.min(failures - 1, 20)),
  })
  const close = (): void => void loop.close()
  if (signal.aborted) close()
  else signal.addEventListener('abort', close, { once: true })
  return {
    wake: () => {
      beDue()
      loop.wake()
    },
    over: loop.ended,
  }
}
