import { pause } from '@probe-mesh/runtime/pause'

const firstWaitMs = 1_000
/** The clock that a pace is kept by may be moved: it is looked at this often. */
const lookMs = 1_000

export type Pace = {
  /** The next run comes at once. */
  wake(): void
  /** Resolves when the signal has ended it and the last run is over. */
  readonly over: Promise<void>
}

/**
 * Runs an act now and at a pace, one run at a time; after one that failed the next comes sooner,
 * with doubling waits up to the pace.
 * @param options.onFailure is told what a run threw, unless it is closing
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
  let woken = new AbortController()
  const wake = (): void => woken.abort()
  signal.addEventListener('abort', wake, { once: true })

  const waitUntilDue = async (startedMs: number): Promise<void> => {
    const isDue = (): boolean => now() >= startedMs + everyMs || now() < startedMs
    while (!woken.signal.aborted && !isDue()) {
      await pause(Math.min(lookMs, startedMs + everyMs - now()), woken.signal)
    }
  }
  const run = async (): Promise<void> => {
    for (let failures = 0; !signal.aborted;) {
      woken = new AbortController()
      const startedMs = now()
      try {
        await act()
        failures = 0
        await waitUntilDue(startedMs)
      } catch (error) {
        if (signal.aborted) return
        onFailure(error)
        await pause(Math.min(everyMs, firstWaitMs * 2 ** failures), woken.signal)
        failures = Math.min(failures + 1, 20)
      }
    }
  }
  return { wake: () => wake(), over: run() }
}
