import { expect, test } from 'vitest'
import { clockUnknown, followClock } from './sightings.ts'

const paceMs = 2_000

/** Announcements that come every two seconds, each so far from our clock. */
const after = (offs: readonly number[], before = clockUnknown) =>
  offs.reduce((clock, offMs, index) => followClock(clock, index * paceMs + offMs, index * paceMs), before)
const times = (count: number, offMs: number): number[] => Array.from({ length: count }, () => offMs)

test.each([90_000, -90_000])('reports a clock that is %d ms off once five announcements agree', (off) => {
  expect(after(times(4, off)).sinceMs).toBeNull()
  expect(after(times(5, off))).toMatchObject({ sinceMs: 4 * paceMs, offMs: off })
  expect(after(times(50, off)).samples).toHaveLength(5)
})

test('announcements that are late by seconds, and one by a minute, do not change the clock', () => {
  const late = [-40, -2_100, -60_000, -8_000, -300, -12_000, -900, -60_000, -3_000, -20]
  for (let count = 1; count <= late.length; count++) {
    expect(after(late.slice(0, count)).sinceMs).toBeNull()
  }
})

test('a clock near the limit is not reported and cleared by turns', () => {
  const off = after(times(5, -11_000))
  const about = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? -6_000 : -11_000))
  for (let count = 1; count <= about.length; count++) {
    expect(after(about.slice(0, count), off).sinceMs).toBe(off.sinceMs)
  }
  expect(after([-100], off).sinceMs).toBeNull()
})
