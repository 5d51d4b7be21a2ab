import { setImmediate as round } from 'node:timers/promises'
import { onTestFinished, vi } from 'vitest'

export type StoppedTime = { next(): Promise<void> }

/** Rounds of the event loop after which all that was sent has arrived, and what can be answered is. */
const rounds = 10

/**
 * Until the test ends, the time of timers stands still. A server calls `next` in place of an answer: then the
 * time jumps to the next timer, such as a retransmission or a limit. So a limit passes at once, and never
 * before an answer, however slow the machine is.
 */
export const stopTime = (): StoppedTime => {
  let ended = false
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => {
    ended = true
    vi.useRealTimers()
  })
  return {
    next: async () => {
      for (let passed = 0; passed < rounds; passed += 1) await round()
      if (!ended) vi.advanceTimersToNextTimer()
    },
  }
}
