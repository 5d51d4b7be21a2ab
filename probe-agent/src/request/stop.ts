import { deadlineFailure, stopped, type Phase } from './failure.ts'
import type { Failure } from './outcome.ts'

/** Passes one signal to the phases of an attempt in turn, with a single listener. */
export type Stop = {
  /**
   * Sets the handler that ends the current phase; null between phases. Called at once if already
   * aborted.
   */
  during(end: (() => void) | null): void
  /** The failure in a phase: its deadline, or the stop of the agent. */
  failure(phase: Phase): Failure
  /** The deadline if it ended the attempt, ms; else null. */
  passedMs(): number | null
  /** Time until the deadline, ms. */
  leftMs(): number
  close(): void
}

/** A `TimeoutError` as the signal's reason is the attempt's deadline; any other stops the agent. */
export const createStop = (signal: AbortSignal, deadlineMs: number): Stop => {
  let end: (() => void) | null = null
  const endsAt = performance.now() + deadlineMs
  const onAbort = (): void => end?.()
  signal.addEventListener('abort', onAbort, { once: true })
  return {
    during(next) {
      end = next
      if (signal.aborted) next?.()
    },
    failure: (phase) => (isDeadline(signal) ? deadlineFailure(phase, deadlineMs) : stopped),
    passedMs: () => (isDeadline(signal) ? deadlineMs : null),
    leftMs: () => Math.max(0, endsAt - performance.now()),
    close: () => signal.removeEventListener('abort', onAbort),
  }
}

/** Whether a signal was aborted by a deadline. */
export const isDeadline = ({ aborted, reason }: AbortSignal): boolean =>
  aborted && reason instanceof Error && reason.name === 'TimeoutError'
