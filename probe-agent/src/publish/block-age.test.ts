import { expect, test } from 'vitest'
import { blockAgeMs, createNews } from './block-age.ts'

test.each([
  ['nothing is known', null, 200],
  ['one reading a minute', { readings: 1, overMs: 60_000 }, 1_000],
  ['10 a second', { readings: 10, overMs: 1_000 }, 1_000],
  ['20 a second', { readings: 20, overMs: 1_000 }, 500],
  ['20 a second in short blocks', { readings: 4, overMs: 200 }, 500],
  ['60 a second', { readings: 60, overMs: 1_000 }, 200],
  ['full messages', { readings: 100, overMs: 0 }, 200],
  ['a clock that was set back', { readings: 1, overMs: -5_000 }, 200],
])('a block is open as long as ten readings take to come, 0.2 to 1 s: %s', (_, last, ageMs) => {
  expect(blockAgeMs(last)).toBe(ageMs)
})

test('news is all but an `up` after two of the same check: the second one ends a failure', () => {
  const { isNews } = createNews()
  const steps = [
    ['a', 'scheduled', 'up', true],
    ['a', 'scheduled', 'up', true],
    ['a', 'scheduled', 'up', false],
    ['b', 'scheduled', 'up', true],
    ['a', 'manual', 'up', true],
    ['a', 'confirmation', 'down', true],
    ['a', 'scheduled', 'up', false],
    ['a', 'scheduled', 'down', true],
    ['a', 'scheduled', 'down', true],
    ['a', 'scheduled', 'up', true],
    ['a', 'scheduled', 'up', true],
    ['a', 'scheduled', 'up', false],
    ['a', 'scheduled', 'unmeasured', true],
    ['a', 'scheduled', 'blocked', true],
    ['b', 'scheduled', 'up', true],
    ['b', 'scheduled', 'up', false],
  ] as const
  expect(steps.map(([checkId, kind, verdict]) => isNews({ checkId, kind, verdict }))).toEqual(
    steps.map(([, , , expected]) => expected),
  )
})
