import type { PublicDay } from '@probe-mesh/contracts/status-page/public-page'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { flat } from '../../testing/flat.ts'
import { dayBars } from './day-strip.ts'
import { runsOf, textOf, toneOf, type DayTone } from './day-words.ts'
import { dayOf, daysOf } from './testing.ts'

const noData = { upShare: null, measuredSeconds: 0, unmeasuredSeconds: 86_400 }

test.each<[Partial<PublicDay>, DayTone, string]>([
  [{}, 'good', '100% up'],
  [{ upShare: 0.999999, incidents: 1 }, 'uncertain', '99.999% up, 1 incident'],
  [{ upShare: 0.99 }, 'uncertain', '99.000% up'],
  [{ upShare: 0.98999, incidents: 2 }, 'bad', '98.999% up, 2 incidents'],
  [noData, 'silent', 'No data'],
  [{ ...noData, incidents: 1 }, 'silent', 'No data, 1 incident'],
  [
    { ...noData, unmeasuredSeconds: 0, maintenanceSeconds: 86_400 },
    'silent',
    'No data, 1 day of maintenance',
  ],
  [{ measuredSeconds: 43_200, unmeasuredSeconds: 43_200 }, 'good', '100% up, 12 hours not measured'],
  [{ measuredSeconds: 43_199, unmeasuredSeconds: 43_201 }, 'partly', '100% up, 12 hours not measured'],
  [{ measuredSeconds: 85_501, unmeasuredSeconds: 899 }, 'good', '100% up'],
  [{ measuredSeconds: 85_500, unmeasuredSeconds: 900 }, 'good', '100% up, 15 minutes not measured'],
  [{ maintenanceSeconds: 3_600 }, 'good', '100% up, 1 hour of maintenance'],
])('%j is %s: %s', (given, tone, text) => {
  expect(toneOf(dayOf(given))).toBe(tone)
  expect(textOf(dayOf(given))).toBe(text)
})

test('equal days are one item, and today is separate', () => {
  const runs = runsOf(daysOf({ 3: { upShare: 0.5, incidents: 1 } }))
  expect(runs.map(({ from, to, days }) => [from, to, days])).toEqual([
    ['2026-08-23', '2026-11-16', 86],
    ['2026-11-17', '2026-11-17', 1],
    ['2026-11-18', '2026-11-19', 2],
    ['2026-11-20', '2026-11-20', 1],
  ])
  expect(runs.at(-1)?.text).toBe('100% up so far')
})

const anyDays = fc.array(
  fc.constantFrom<Partial<PublicDay>>({}, noData, { upShare: 0.995 }, { upShare: 0, incidents: 1 }),
  { minLength: 90, maxLength: 90 },
)

test('every day is in the words and in the bars once, for any days', () => {
  forAll([anyDays], (given) => {
    const days = daysOf(Object.fromEntries(given.map((day, at) => [89 - at, day])))
    const said = runsOf(days).flatMap((run) =>
      days
        .filter(({ date }) => date >= run.from && date <= run.to)
        .map((day) => [day.date, run.tone, run.text.replace(' so far', '')]),
    )
    expect(said).toEqual(days.map((day) => [day.date, toneOf(day), textOf(day)]))
    const drawn = flat(dayBars(runsOf(days), ''))
    const bars = new Map<number, string>()
    for (const [, tone = '', lines = ''] of drawn.matchAll(/class="(\w+)" d="([^"]*)"/g)) {
      for (const [, x, width] of lines.matchAll(/M(\d+) [\d.]+h(\d+)/g)) {
        for (let at = Number(x); at < Number(x) + Number(width); at += 4) {
          expect(bars.has(at / 4)).toBe(false)
          bars.set(at / 4, tone)
        }
      }
    }
    expect(days.map((_, at) => bars.get(at))).toEqual(days.map(toneOf))
  })
})
