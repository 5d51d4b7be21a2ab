import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createLoopLag, lagMsMax } from './loop-lag.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A loop whose clock can advance while no timer fires, as during blocking code. */
const setUp = () => {
  let blockedMs = 0
  const now = (): number => vi.getMockedSystemTime()?.getTime() ?? 0
  const clock = (): number => now() + blockedMs
  const lag = createLoopLag(clock)
  onTestFinished(lag.close)
  return {
    lag,
    clock,
    block: (ms: number) => {
      blockedMs += ms
    },
  }
}

describe('a loop', () => {
  test('that beats in time has no lag', () => {
    const { lag, clock } = setUp()
    const start = clock()
    vi.advanceTimersByTime(10_000)
    expect(lag.worstSince(start)).toBe(0)
  })

  test('that was blocked reports for how long, before and after its next beat', () => {
    const { lag, clock, block } = setUp()
    vi.advanceTimersByTime(1_000)
    const start = clock()
    block(500)
    expect(lag.worstSince(start)).toBeGreaterThan(400)
    vi.advanceTimersByTime(1_000)
    expect(lag.worstSince(start)).toBeGreaterThan(400)
  })

  test('that was blocked earlier does not affect later runs', () => {
    const { lag, clock, block } = setUp()
    block(500)
    vi.advanceTimersByTime(1_000)
    expect(lag.worstSince(clock())).toBe(0)
  })

  test('tolerates short delays', () => {
    const { lag, clock, block } = setUp()
    const start = clock()
    block(150)
    vi.advanceTimersByTime(1_000)
    expect(lag.worstSince(start)).toBeLessThanOrEqual(lagMsMax)
  })

  test('adds up its blocks after an instant', () => {
    const { lag, clock, block } = setUp()
    block(1_000)
    vi.advanceTimersByTime(1_000)
    const start = clock()
    for (let n = 0; n < 3; n++) {
      block(300)
      vi.advanceTimersByTime(1_000)
    }
    expect(lag.blockedSince(start)).toBe(900)
    block(400)
    const middle = clock() - 100
    expect(lag.blockedSince(middle)).toBe(100)
    vi.advanceTimersByTime(1_000)
    // until the beat that reports it
    expect(lag.blockedSince(middle)).toBe(150)
  })
})

test('a blocked loop is noticed', async () => {
  vi.useRealTimers()
  const lag = createLoopLag()
  onTestFinished(lag.close)
  const start = performance.now()
  while (performance.now() - start < 400);
  expect(lag.worstSince(start)).toBeGreaterThan(200)
  await new Promise((resolve) => setTimeout(resolve, 1))
  expect(lag.worstSince(start)).toBeGreaterThan(200)
})
