import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { createSlidingWindow } from './sliding-window.ts'

const windowMs = 60_000

/** A reference without a ring: stores all events and counts them each time. */
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

test('no window contains more events than the limit, and no event below the limit is refused', () => {
  forAll(
    [fc.integer({ min: 1, max: 70 }), fc.array(fc.oneof(fc.nat(500), fc.nat(90_000)), { maxLength: 400 })],
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
  )
})

test('allows a refused call as soon as the oldest event is one window old', () => {
  const window = createSlidingWindow(2, windowMs)
  expect([window.take(0), window.take(10), window.take(20)]).toEqual([true, true, false])
  expect(window.take(windowMs - 1)).toBe(false)
  expect(window.take(windowMs)).toBe(true)
  expect(window.take(windowMs + 9)).toBe(false)
  expect(window.take(windowMs + 10)).toBe(true)
})

test('ignores events that are in the future after the clock was set back', () => {
  const window = createSlidingWindow(2, windowMs)
  expect([window.take(7_200_000), window.take(7_200_000)]).toEqual([true, true])
  expect([window.left(0), window.take(0), window.left(0)]).toEqual([2, true, 1])
})
