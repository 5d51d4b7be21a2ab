import { setImmediate as round } from 'node:timers/promises'
import { vi } from 'vitest'

const stepMs = 20

/**
 * The clock and the timers of this process move a step whenever its work is done: faster than the real ones, and
 * no machine is too slow for them. Not for a limit on a disk or a network, which this clock overtakes.
 * @returns ends it
 */
export const startFastClock = (): (() => Promise<void>) => {
  vi.useFakeTimers({
    toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  })
  const ended = new AbortController()
  const move = async (): Promise<void> => {
    for (; !ended.signal.aborted; vi.advanceTimersByTime(stepMs)) {
      for (let rounds = 0; rounds < 5; rounds += 1) await round()
    }
  }
  const moving = move()
  return async () => {
    ended.abort()
    await moving
    vi.useRealTimers()
  }
}
