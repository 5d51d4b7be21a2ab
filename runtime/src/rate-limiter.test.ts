import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { createFixedWindow, createRateLimiter, createTokenBucket } from './rate-limiter.ts'
import { createSlidingWindow } from './sliding-window.ts'

const limiter = (keysMax = 100) => {
  const clock = { nowMs: 1_000_000 }
  const rates = createRateLimiter({
    now: () => clock.nowMs,
    keysMax,
    meter: () => createSlidingWindow(2, 1_000),
  })
  return { clock, rates }
}

test('allows each key its limit, and returns the wait of a refused one', () => {
  const { clock, rates } = limiter()
  expect([rates.take('a'), rates.take('a'), rates.take('b')]).toEqual([0, 0, 0])
  clock.nowMs += 400
  expect([rates.allows('a'), rates.take('a'), rates.allows('b')]).toEqual([false, 600, true])
  clock.nowMs += 600
  expect([rates.allows('a'), rates.take('a')]).toEqual([true, 0])
  expect(rates.counts).toEqual({ refused: 1, forgotten: 0 })
})

test('"allows" counts nothing and stores nothing', () => {
  const { rates } = limiter()
  expect([rates.allows('a'), rates.size]).toEqual([true, 0])
})

test('stores at most keysMax keys, forgets idle ones first, and counts them', () => {
  const { rates } = limiter(4)
  for (const key of ['a', 'b', 'c', 'd']) rates.take(key)
  rates.take('a')
  rates.take('e')
  expect([rates.size, rates.counts.forgotten]).toEqual([3, 2])
  // a and d were used last: a is at its limit, b is forgotten and starts over
  expect([rates.take('a') > 0, rates.take('b')]).toEqual([true, 0])
})

test('never stores more than keysMax keys', () => {
  forAll([fc.integer({ min: 1, max: 9 }), fc.array(fc.nat(40))], (keysMax, keys) => {
    const { rates } = limiter(keysMax)
    for (const key of keys) {
      rates.take(`${key}`)
      expect(rates.size).toBeLessThanOrEqual(keysMax)
    }
  })
})

test('a fixed window allows its limit in each window of the clock', () => {
  const window = createFixedWindow(2, 1_000)
  expect([window.resetMs(5_300), window.left(5_300)]).toEqual([0, 2])
  expect([window.take(5_300), window.take(5_400), window.take(5_999)]).toEqual([true, true, false])
  expect([window.left(5_999), window.resetMs(5_900)]).toEqual([0, 100])
  expect(window.take(6_000)).toBe(true)
})

test('a token bucket allows its burst at once, then its rate', () => {
  const bucket = createTokenBucket(2, 3)
  expect([1, 2, 3, 4].map(() => bucket.take(0))).toEqual([true, true, true, false])
  expect([bucket.left(0), bucket.resetMs(0), bucket.resetMs(250)]).toEqual([0, 500, 250])
  expect([bucket.take(499), bucket.take(500), bucket.take(500)]).toEqual([false, true, false])
  expect([bucket.left(60_000), bucket.resetMs(60_000)]).toEqual([3, 0])
})

test('a token bucket never allows more than burst plus rate', () => {
  forAll(
    [
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.nat(3_000), { maxLength: 200 }),
    ],
    (perSecond, burst, gaps) => {
      const bucket = createTokenBucket(perSecond, burst)
      let nowMs = 0
      let taken = 0
      for (const gap of gaps) {
        nowMs += gap
        if (bucket.take(nowMs)) taken += 1
      }
      expect(taken).toBeLessThanOrEqual(burst + (perSecond * nowMs) / 1_000 + 1e-6)
    },
  )
})

test('a clock that is set back never makes a wait longer than the window', () => {
  const { clock, rates } = limiter()
  rates.take('a')
  rates.take('a')
  clock.nowMs -= 3_600_000
  expect(rates.take('a')).toBe(0)
})
