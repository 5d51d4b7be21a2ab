import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSlidingWindow } from './sliding-window.ts'

const windowMs = 60_000

/** What a window means, without its ring: every instant taken, counted again each time. */
const replay = (limit: number) => {
  const taken: number[] = []
  const within = (nowMs: number) => taken.filter((at) => at > nowMs - windowMs)
  return {
    take: (nowMs: number) => {
      if (within(nowMs).length >= limit) return false
      taken.push(nowMs)
      return true
    },
    left: (nowMs: number) => limit - within(nowMs).length,
    resetMs: (nowMs: number) => {
      const [first] = within(nowMs)
      return first === undefined ? 0 : first + windowMs - nowMs
    },
  }
}

test('no window of time ever holds more than the limit, and nothing is refused below it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 70 }),
      fc.array(fc.oneof(fc.nat(500), fc.nat(90_000)), { maxLength: 400 }),
      (limit, gaps) => {
        const window = createSlidingWindow(limit, windowMs)
        const model = replay(limit)
        let nowMs = 1_700_000_000_000
        for (const gap of gaps) {
          nowMs += gap
          expect(window.take(nowMs)).toBe(model.take(nowMs))
          expect(window.left(nowMs)).toBe(model.left(nowMs))
          expect(window.resetMs(nowMs)).toBe(model.resetMs(nowMs))
        }
      },
    ),
  )
})

test('the call that is refused passes as soon as the oldest is a window old, and not before', () => {
  const window = createSlidingWindow(2, windowMs)
  expect([window.take(0), window.take(10), window.take(20)]).toEqual([true, true, false])
  expect(window.take(windowMs - 1)).toBe(false)
  expect(window.take(windowMs)).toBe(true)
  expect(window.take(windowMs + 9)).toBe(false)
  expect(window.take(windowMs + 10)).toBe(true)
})

test('instants that a clock set back has put into the future do not count', () => {
  const window = createSlidingWindow(2, windowMs)
  expect([window.take(7_200_000), window.take(7_200_000)]).toEqual([true, true])
  expect([window.left(0), window.take(0), window.left(0)]).toEqual([2, true, 1])
})
