import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { nextSpikeStep, isSpike, spanEndMs, spikeSpan, baselineOf, type OpenSpike } from './spike.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const untilMs = Date.parse('2026-11-20T12:00:00.000Z')
const spanMinutes = fc.constantFrom(5 as const, 60 as const)

describe('the baseline', () => {
  test.each([
    // older than the day before the span: the average of that day
    [60, 2_400, 40 * dayMs, 100],
    [5, 2_880, 40 * dayMs, 10],
    [60, 0, 40 * dayMs, 0],
    // known for half a day before the span: the average of that half
    [60, 1_200, 12.5 * 3_600_000 + 30 * minuteMs, 100],
    // known for exactly one span before it, and for 1 ms less
    [60, 7, 2 * 3_600_000, 7],
    [60, 7, 2 * 3_600_000 - 1, null],
    [5, 3, 0, null],
  ] as const)(
    'for %i minutes, %i earlier events and an age of %i ms is %s',
    (minutes, before, knownMs, baseline) => {
      const span = spikeSpan({ spanMinutes: minutes }, untilMs)
      expect(baselineOf({ before, knownSinceMs: untilMs - knownMs }, span)).toBe(baseline)
    },
  )

  test('is never negative and grows with earlier events', () => {
    forAll(
      [spanMinutes, fc.nat(1_000_000), fc.integer({ min: -dayMs, max: 40 * dayMs })],
      (minutes, before, knownMs) => {
        const span = spikeSpan({ spanMinutes: minutes }, untilMs)
        const knownSinceMs = untilMs - knownMs
        const baseline = baselineOf({ before, knownSinceMs }, span)
        const more = baselineOf({ before: before + 1, knownSinceMs }, span)
        if (baseline === null) {
          expect(more).toBeNull()
          return
        }
        expect(baseline).toBeGreaterThanOrEqual(0)
        // the averaged time is at least one span, so the average cannot exceed the sum
        expect(baseline).toBeLessThanOrEqual(before)
        expect(more).toBeGreaterThan(baseline)
      },
    )
  })
})

describe('a span', () => {
  const terms = { eventsMin: 100, factor: 5 }
  test.each([
    [100, 20, true],
    [99, 0, false],
    [100, 20.01, false],
    [100, null, true],
    [99, null, false],
    [100, 0, true],
    [5_000, 1_000, true],
    [4_999, 1_000, false],
  ])('of %i events with a baseline of %s is a spike: %s', (span, baseline, expected) => {
    expect(isSpike(terms, span, baseline)).toBe(expected)
  })

  test('remains a spike with more events or a lower baseline', () => {
    const count = fc.nat(10_000)
    forAll([count, count, fc.nat(100), fc.double({ min: 1, max: 1_000 })], (span, baseline, more, factor) => {
      const criteria = { eventsMin: 10, factor }
      if (!isSpike(criteria, span, baseline)) return
      expect(isSpike(criteria, span + more, baseline)).toBe(true)
      expect(isSpike(criteria, span, baseline / 2)).toBe(true)
      expect(isSpike(criteria, span, null)).toBe(true)
    })
  })
})

/** The steps of one check a minute. @param checks whether each met the criteria */
const stepsOf = (checks: readonly boolean[], minutes: 5 | 60): string[] => {
  let open: OpenSpike | null = null
  return checks.map((isMet, index) => {
    const atMs = untilMs + index * minuteMs
    const step = nextSpikeStep(open, isMet, { spanMinutes: minutes }, atMs)
    if (step === 'begins') open = { beganAtMs: atMs, lastMetAtMs: atMs }
    else if (step === 'continues' && open !== null) open = { ...open, lastMetAtMs: atMs }
    else if (step === 'ends') open = null
    return step
  })
}

test('a count around the threshold begins one spike, which ends after one calm span', () => {
  expect(stepsOf([false, true, false, true, false, false, false, false, false, true], 5)).toEqual([
    'none',
    'begins',
    'pauses',
    'continues',
    'pauses',
    'pauses',
    'pauses',
    'pauses',
    'ends',
    'begins',
  ])
})

test('spikes begin and end alternately, with a full calm span between two beginnings', () => {
  forAll([fc.array(fc.boolean(), { maxLength: 200 }), spanMinutes], (checks, minutes) => {
    const steps = stepsOf(checks, minutes)
    const turns = steps.filter((step) => step === 'begins' || step === 'ends')
    turns.forEach((step, index) => expect(step).toBe(index % 2 === 0 ? 'begins' : 'ends'))
    steps.forEach((step, index) => {
      if (step === 'begins') expect(checks[index]).toBe(true)
      if (step === 'ends') {
        expect(checks.slice(Math.max(0, index - minutes + 1), index + 1)).not.toContain(true)
      }
    })
  })
})

test('a span ends at a whole minute at least 30 seconds ago', () => {
  expect(spanEndMs(untilMs + 29_999)).toBe(untilMs - minuteMs)
  expect(spanEndMs(untilMs + 30_000)).toBe(untilMs)
})
