import { pause as pauseDefault, type Pause } from './pause.ts'

/** The result of a round: `again` skips the wait, `end` ends the loop, nothing waits as usual. */
export type Next = 'again' | 'end' | void

type LoopOptions = {
  /** Rounds never overlap. @param signal aborts when the loop closes */
  round(signal: AbortSignal): Promise<Next>
  /** The wait after a round, ms. */
  everyMs: number | (() => number)
  /** The wait before the first round, ms. By default the first round starts at once. */
  firstMs?: number
  /** Receives the error of a failed round; the loop continues. An error thrown here ends the loop. */
  onError(error: unknown, signal: AbortSignal): void
  /** The wait after a failed round, ms; by default `everyMs`. @param failures consecutive failures, from 1 */
  retryMs?: (failures: number) => number
  pause?: Pause
}

export type Loop = {
  /** Skips the current wait. During a round, it skips the wait after that round. */
  wake(): void
  /** Resolves when the loop has ended. Rejects with the error that `onError` threw. */
  readonly ended: Promise<void>
  /** Ends the loop. Resolves when the current round is over. */
  close(): Promise<void>
}

/** Runs rounds one after another until `close`. */
export const startLoop = (options: LoopOptions): Loop => {
  const closing = new AbortController()
  const wakeUp = createWakeUp(closing.signal)
  const ended = follow(options, closing.signal, wakeUp)
  return {
    wake: wakeUp.wake,
    ended,
    close: () => {
      closing.abort()
      return ended
    },
  }
}

/** Runs rounds one after another until the signal aborts. */
export const runLoop = async (options: LoopOptions & { signal: AbortSignal }): Promise<void> => {
  const wakeUp = createWakeUp(options.signal)
  try {
    await follow(options, options.signal, wakeUp)
  } finally {
    wakeUp.forget()
  }
}

/** Ends the current wait, or the next one when there is none. */
const createWakeUp = (signal: AbortSignal) => {
  let woken = new AbortController()
  const wake = (): void => woken.abort()
  signal.addEventListener('abort', wake, { once: true })
  return {
    wake,
    /** Applies wakes from now on to the next wait. */
    next: (): void => {
      woken = new AbortController()
    },
    signal: (): AbortSignal => woken.signal,
    forget: (): void => signal.removeEventListener('abort', wake),
  }
}

const follow = async (
  { round, everyMs, firstMs = 0, onError, retryMs, pause = pauseDefault }: LoopOptions,
  signal: AbortSignal,
  wakeUp: ReturnType<typeof createWakeUp>,
): Promise<void> => {
  const wait = async (waitMs: number): Promise<void> => {
    if (waitMs > 0 && !signal.aborted) await pause(waitMs, wakeUp.signal())
  }
  const usualMs = (): number => (typeof everyMs === 'number' ? everyMs : everyMs())
  // without a wait the first round starts synchronously
  if (firstMs > 0) await wait(firstMs)
  for (let failures = 0; !signal.aborted;) {
    wakeUp.next()
    try {
      const next = await round(signal)
      failures = 0
      if (next === 'end') return
      if (next !== 'again') await wait(usualMs())
    } catch (error) {
      failures += 1
      onError(error, signal)
      await wait(retryMs?.(failures) ?? usualMs())
    }
  }
}
