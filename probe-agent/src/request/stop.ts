import { deadlineFailure, stopped } from './failure.ts'
import type { Phase } from './failure.ts'
import type { Failure } from './outcome.ts'

/** Hands one signal to the phases of an attempt in turn: one listener, whatever the hops. */
export type Stop = {
  /** Says what ends the phase that runs now; null between phases. Called at once when too late. */
  during(end: (() => void) | null): void
  /** What the signal means in a phase: its deadline, or the end of the agent. */
  failure(phase: Phase): Failure
  close(): void
}

/** A signal whose reason is a `TimeoutError` is the attempt's deadline; any other stops the agent. */
export const createStop = (signal: AbortSignal, deadlineMs: number): Stop => {
  let end: (() => void) | null = null
  const onAbort = (): void => end?.()
  signal.addEventListener('abort', onAbort, { once: true })
  return {
    during(next) {
      end = next
      if (signal.aborted) next?.()
    },
    failure(phase) {
      const reason: unknown = signal.reason
      const deadline = reason instanceof Error && reason.name === 'TimeoutError'
      return deadline ? deadlineFailure(phase, deadlineMs) : stopped
    },
    close: () => signal.removeEventListener('abort', onAbort),
  }
}
