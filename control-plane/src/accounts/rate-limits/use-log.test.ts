import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { createUseLog } from './use-log.ts'

const windowMs = 60_000
const startMs = 1_800_000_000_000

/** The model: all uses, counted again each time. */
const replay = (uses: readonly number[], nowMs: number) => uses.filter((atMs) => atMs > nowMs - windowMs)

const gaps = fc.array(fc.oneof(fc.nat(3), fc.nat(900), fc.nat(70_000)), { maxLength: 300 })

test('with a slot of one millisecond the log is exact at any time', () => {
  forAll([gaps], { numRuns: 50 }, (steps) => {
    const log = createUseLog(windowMs, 1)
    const uses: number[] = []
    let nowMs = startMs
    for (const step of steps) {
      nowMs += step
      const before = replay(uses, nowMs)
      expect(log.count(nowMs)).toBe(before.length)
      before.forEach((atMs, at) => expect(log.leavesMs(at + 1, nowMs)).toBe(atMs + windowMs))
      log.add(nowMs)
      uses.push(nowMs)
    }
  })
})

test('with longer slots no use is forgotten early, and the log is bounded', () => {
  forAll([gaps], { numRuns: 50 }, (steps) => {
    const log = createUseLog(windowMs, 250)
    const uses: number[] = []
    let nowMs = startMs
    for (const step of steps) {
      nowMs += step
      log.add(nowMs)
      uses.push(nowMs)
      const [count, exact] = [log.count(nowMs), replay(uses, nowMs).length]
      expect(count).toBeGreaterThanOrEqual(exact)
      expect(count).toBeLessThanOrEqual(replay(uses, nowMs - 250).length + exact)
      const ages = log.ages(nowMs)
      expect(ages.length).toBeLessThanOrEqual(241)
      expect(ages.reduce((sum, [, places]) => sum + places, 0)).toBe(count)
    }
  })
})

test('adds to the newest slot when the clock goes back', () => {
  const log = createUseLog(windowMs, 1)
  log.add(startMs)
  log.add(startMs - 5_000)
  expect(log.ages(startMs)).toEqual([[0, 2]])
  expect(log.count(startMs + windowMs - 1)).toBe(2)
  expect(log.count(startMs + windowMs)).toBe(0)
})
