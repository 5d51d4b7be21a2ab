import { expect, test } from 'vitest'
import { aboutTime, secondsOfWrites } from './pace.ts'

test.each([
  ['what is left takes no time', 30, { left: 30, resetSeconds: 9 }, 0],
  ['one more waits for the first that is free again', 31, { left: 30, resetSeconds: 9 }, 9],
  ['with none left', 1, { left: 0, resetSeconds: 23 }, 23],
  ['a whole minute without a known time', 60, { left: 30, resetSeconds: 0 }, 60],
  ['500 at 30 a minute', 500, { left: 30, resetSeconds: 60 }, 16 * 60],
  ['none', 0, { left: 0, resetSeconds: 60 }, 0],
])('%s', (_, writes, budget, seconds) => {
  expect(secondsOfWrites(writes, { perMinute: 30, ...budget })).toBe(seconds)
})

test('a budget without a rate ends', () => {
  expect(secondsOfWrites(3, { left: 0, perMinute: 0, resetSeconds: 1 })).toBe(121)
})

test.each([
  [9, 'about 9 s'],
  [59, 'about 59 s'],
  [60, 'about 1 min'],
  [960, 'about 16 min'],
])('%i s are %s', (seconds, text) => expect(aboutTime(seconds)).toBe(text))
