import { expect, test, vi } from 'vitest'
import { repeatEvery } from './repeat-every.ts'

const start = (act: (run: number) => Promise<void>, everyMs: number) => {
  const closing = new AbortController()
  const failures: unknown[] = []
  let [runs, nowMs] = [0, 0]
  const repeater = repeatEvery(
    async () => {
      runs += 1
      await act(runs)
    },
    {
      everyMs,
      now: () => nowMs,
      signal: closing.signal,
      onFailure: (error) => failures.push(error),
    },
  )
  return {
    repeater,
    failures,
    runs: () => runs,
    move: (ms: number) => {
      nowMs += ms
    },
    close: async () => {
      closing.abort()
      await repeater.ended
    },
  }
}
const nothing = async () => {}

test('runs at once, and again after the interval by the given clock', async () => {
  const one = start(nothing, 60_000)
  await vi.waitFor(() => expect(one.runs()).toBe(1))
  one.move(60_000)
  await vi.waitFor(() => expect(one.runs()).toBe(2))
  await one.close()
})

test('runs at once after a wake', async () => {
  const one = start(nothing, 60_000)
  await vi.waitFor(() => expect(one.runs()).toBe(1))
  one.repeater.wake()
  await vi.waitFor(() => expect(one.runs()).toBe(2))
  await one.close()
})

test('runs once more after a wake during a run', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const one = start(async (run) => (run === 1 ? held : undefined), 60_000)
  await vi.waitFor(() => expect(one.runs()).toBe(1))
  one.repeater.wake()
  release()
  await vi.waitFor(() => expect(one.runs()).toBe(2))
  await one.close()
})

test('reports a failed run and retries it before the interval', async () => {
  const one = start(async (run) => {
    if (run === 1) throw new Error('unavailable')
  }, 3_600_000)
  await vi.waitFor(() => expect(one.runs()).toBe(2))
  expect(one.failures).toHaveLength(1)
  await one.close()
})

test('closing ends a wait and waits for the current run', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  let ended = false
  const one = start(async () => {
    await held
    ended = true
  }, 60_000)
  await vi.waitFor(() => expect(one.runs()).toBe(1))
  const closed = one.close()
  release()
  await closed
  expect([ended, one.runs()]).toEqual([true, 1])
})

test('does not report a failure after closing', async () => {
  const { promise: held, reject } = Promise.withResolvers<void>()
  const one = start(() => held, 60_000)
  const closed = one.close()
  reject(new Error('closed'))
  await closed
  expect(one.failures).toEqual([])
})
