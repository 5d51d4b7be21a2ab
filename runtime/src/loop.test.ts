import { expect, test } from 'vitest'
import { runLoop, startLoop } from './loop.ts'

/** A timer that ends on a call of the test, or when the signal aborts. */
const createTimer = () => {
  const waits: number[] = []
  let end: () => void = () => undefined
  let onWait: () => void = () => undefined
  return {
    waits,
    pause: (waitMs: number, signal?: AbortSignal): Promise<void> => {
      waits.push(waitMs)
      onWait()
      return new Promise((resolve) => {
        end = resolve
        signal?.addEventListener('abort', () => resolve(), { once: true })
        if (signal?.aborted === true) resolve()
      })
    },
    /** Ends the current wait. Resolves when the loop waits again. */
    elapse: (): Promise<void> =>
      new Promise((resolve) => {
        onWait = resolve
        end()
      }),
    /** Resolves when the loop waits. */
    nextWait: (): Promise<void> =>
      new Promise((resolve) => {
        onWait = resolve
      }),
  }
}

const never = (error: unknown): void => {
  throw error
}

test('runs a round, waits, and runs the next; close waits for the round under way', async () => {
  const timer = createTimer()
  const release = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  const rounds: string[] = []
  const round = async () => {
    rounds.push('start')
    if (rounds.length > 1) {
      second.resolve()
      await release.promise
    }
    rounds.push('end')
  }
  const waiting = timer.nextWait()
  const loop = startLoop({ round, everyMs: 5_000, onError: never, pause: timer.pause })
  await waiting
  expect([rounds, timer.waits]).toEqual([['start', 'end'], [5_000]])
  void timer.elapse()
  await second.promise
  const closing = loop.close()
  release.resolve()
  await closing
  expect(rounds).toEqual(['start', 'end', 'start', 'end'])
})

test('the first round starts at once: a close right after the start waits for it', async () => {
  let rounds = 0
  const round = async () => void (rounds += 1)
  await startLoop({ round, everyMs: 60_000, onError: never }).close()
  expect(rounds).toBe(1)
})

test('close cuts a wait short', async () => {
  const timer = createTimer()
  const waiting = timer.nextWait()
  const loop = startLoop({
    round: async () => undefined,
    everyMs: 60_000,
    onError: never,
    pause: timer.pause,
  })
  await waiting
  await loop.close()
  expect(timer.waits).toEqual([60_000])
})

test('a wake cuts the wait short; a wake during a round skips the wait after it', async () => {
  const timer = createTimer()
  let rounds = 0
  const round = async () => {
    rounds += 1
    if (rounds === 2) loop.wake()
  }
  const first = timer.nextWait()
  const loop = startLoop({ round, everyMs: 60_000, onError: never, pause: timer.pause })
  await first
  loop.wake()
  await expect.poll(() => rounds).toBe(3)
  await loop.close()
})

test('a failed round is reported, and the wait after it grows until a round succeeds', async () => {
  const timer = createTimer()
  const outcomes = ['fail', 'fail', 'ok', 'fail']
  const errors: unknown[] = []
  const round = async () => {
    const outcome = outcomes.shift()
    if (outcome === undefined) return 'end'
    if (outcome === 'fail') throw new Error('no')
    return undefined
  }
  const loop = startLoop({
    round,
    everyMs: 7,
    onError: (error) => void errors.push(error),
    retryMs: (failures) => failures * 100,
    pause: async (ms) => void timer.waits.push(ms),
  })
  await loop.ended
  expect([errors.length, timer.waits]).toEqual([3, [100, 200, 7, 100]])
})

test('"again" starts the next round without a wait, "end" ends the loop', async () => {
  const timer = createTimer()
  let rounds = 0
  await runLoop({
    round: async () => (++rounds < 5 ? 'again' : 'end'),
    everyMs: 1_000,
    onError: never,
    pause: timer.pause,
    signal: new AbortController().signal,
  })
  expect([rounds, timer.waits]).toEqual([5, []])
})

test('waits before the first round with "firstMs", and computes every wait anew', async () => {
  const waits: number[] = []
  let wait = 10
  await runLoop({
    round: async () => (waits.length < 3 ? undefined : 'end'),
    everyMs: () => (wait += 1),
    firstMs: 500,
    onError: never,
    pause: async (ms) => void waits.push(ms),
    signal: new AbortController().signal,
  })
  expect(waits).toEqual([500, 11, 12])
})

test('runs no round after its signal aborted, and leaves no listener on it', async () => {
  const ending = new AbortController()
  let rounds = 0
  const round = async () => {
    rounds += 1
    ending.abort()
    return 'again' as const
  }
  const options = { everyMs: 0, onError: never, signal: ending.signal }
  await runLoop({ ...options, round })
  await runLoop({ ...options, round })
  expect(rounds).toBe(1)
})

test('an error that onError throws ends the loop and rejects "ended"', async () => {
  const loop = startLoop({
    round: async () => {
      throw new Error('broken')
    },
    everyMs: 0,
    onError: never,
  })
  await expect(loop.ended).rejects.toThrow('broken')
})
