import { deadlineFailure, stopped } from './failure.ts'
import type { Phase } from './failure.ts'
import type { Failure } from './outcome.ts'

/** Hands one signal to the phases of an attempt in turn: one listener, whatever the hops. */
export type Stop = {
  /** Says what ends the phase that runs now; null between phases. Called at once when too late. */
  during(end: (() => void) | null): void
  /** What the signal means in a phase: its deadline, or the end of the agent. */
  failure(phase: Phase): Failure
  /** The deadline where it is what ended the attempt, ms; null where it was not reached. */
  passedMs(): number | null
  /** Until the deadline. */
  leftMs(): number
  close(): void
}

/** A signal whose reason is a `TimeoutError` is the attempt's deadline; any other stops the agent. */
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
