import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { windowTimes } from './window.ts'

const now = 1_700_000_000_000
const minute = 60_000
const day = 86_400_000

test.each<[string, { startsAt?: number; endsAt?: number; durationMinutes?: number }, string[]]>([
  ['the shortest', { durationMinutes: 1 }, []],
  ['one that ends in a millisecond', { startsAt: now - day, endsAt: now + 1 }, []],
  ['one that ends now', { startsAt: now - day, endsAt: now }, ['endsAt']],
  ['one of no time', { startsAt: now + day, endsAt: now + day }, ['endsAt']],
  ['one of a millisecond', { startsAt: now + day, endsAt: now + day + 1 }, []],
  ['90 days', { endsAt: now + 90 * day }, []],
  ['90 days and a millisecond', { endsAt: now + 90 * day + 1 }, ['endsAt']],
  [
    'one that ended before it was announced',
    { startsAt: now - day, durationMinutes: 60 },
    ['durationMinutes'],
  ],
  ['two things wrong with one end', { startsAt: now + day, endsAt: now - day }, ['endsAt', 'endsAt']],
])('%s', (_, input, paths) => {
  expect(windowTimes(input, now).problems.map(({ path }) => path)).toEqual(paths)
})

test('a duration counts from the start, by default from now', () => {
  const { problems: _, ...fromNow } = windowTimes({ durationMinutes: 5 }, now)
  expect(fromNow).toEqual({ startsAtMs: now, endsAtMs: now + 5 * minute })
  expect(windowTimes({ startsAt: now + day, durationMinutes: 5 }, now)).toMatchObject({
    startsAtMs: now + day,
    endsAtMs: now + day + 5 * minute,
  })
})

test('a window without problems ends in the future and lasts at most 90 days', () => {
  const instant = fc.integer({ min: now - 200 * day, max: now + 200 * day })
  const startsAt = fc.option(instant, { nil: undefined })
  const times = fc.oneof(
    fc.record({ startsAt, endsAt: instant }),
    fc.record({ startsAt, durationMinutes: fc.integer({ min: 1, max: 129_600 }) }),
  )
  forAll([times], (input) => {
    const { startsAtMs, endsAtMs, problems } = windowTimes(input, now)
    const sound = endsAtMs > startsAtMs && endsAtMs > now && endsAtMs - startsAtMs <= 90 * day
    expect(problems.length === 0).toBe(sound)
  })
})
