import { expect, test } from 'vitest'
import { blockAgeMs, createNews, type Worth } from './block-age.ts'

test.each([
  ['nothing is known', null, 200, 200],
  ['one reading a minute', { readings: 1, overMs: 60_000 }, 1_000, 5_000],
  ['one a second', { readings: 1, overMs: 1_000 }, 1_000, 5_000],
  ['10 a second', { readings: 10, overMs: 1_000 }, 1_000, 1_000],
  ['20 a second', { readings: 20, overMs: 1_000 }, 500, 500],
  ['20 a second in short blocks', { readings: 4, overMs: 200 }, 500, 500],
  ['60 a second', { readings: 60, overMs: 1_000 }, 200, 200],
  ['full messages', { readings: 100, overMs: 0 }, 200, 200],
  ['a clock that was set back', { readings: 1, overMs: -5_000 }, 200, 200],
])(
  'a block is open as long as ten readings take to come, 0.2 to 1 s, and 5 s where nothing is measured again: %s',
  (_, last, upMs, repeatMs) => {
    expect(['up', 'repeat', 'news'].map((worth) => blockAgeMs(last, worth as Worth))).toEqual([
      upMs,
      repeatMs,
      200,
    ])
  },
)

test('news is all but an `up` after two of a check, and a failure to measure for the cause that it had before', () => {
  const { worthOf } = createNews()
  const steps = [
    ['a', 'scheduled', 'up', 'news'],
    ['a', 'scheduled', 'up', 'news'],
    ['a', 'scheduled', 'up', 'up'],
    ['b', 'scheduled', 'up', 'news'],
    ['a', 'manual', 'up', 'news'],
    ['a', 'confirmation', 'down', 'news'],
    ['a', 'scheduled', 'up', 'up'],
    ['a', 'scheduled', 'down', 'news'],
    ['a', 'scheduled', 'down', 'news'],
    ['a', 'scheduled', 'up', 'news'],
    ['a', 'scheduled', 'up', 'news'],
    ['a', 'scheduled', 'up', 'up'],
    ['a', 'scheduled', 'unmeasured', 'news'],
    ['a', 'scheduled', 'unmeasured', 'repeat'],
    ['b', 'scheduled', 'unmeasured', 'news'],
    ['a', 'confirmation', 'unmeasured', 'news'],
    ['a', 'scheduled', 'unmeasured', 'news', 'probe_lagging'],
    ['a', 'scheduled', 'up', 'news'],
    ['a', 'scheduled', 'unmeasured', 'news'],
    ['a', 'scheduled', 'blocked', 'news'],
    ['b', 'scheduled', 'up', 'news'],
    ['b', 'scheduled', 'up', 'news'],
    ['b', 'scheduled', 'up', 'up'],
  ] as const
  for (const [checkId, kind, verdict, worth, cause = 'probe_offline'] of steps) {
    expect(worthOf({ checkId, kind, verdict, cause })).toBe(worth)
  }
})
