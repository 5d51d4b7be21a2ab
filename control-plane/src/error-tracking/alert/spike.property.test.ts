import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { followSpike, isSpike, spanEndMs, spikeSpan, usualOf } from './spike.ts'
import type { OpenSpike } from './spike.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const untilMs = Date.parse('2026-11-20T12:00:00.000Z')
const spanMinutes = fc.constantFrom(5 as const, 60 as const)

describe('the baseline', () => {
  test.each([
    // known for longer than the day before: an average over all of it
    [60, 2_400, 40 * dayMs, 100],
    [5, 2_880, 40 * dayMs, 10],
    [60, 0, 40 * dayMs, 0],
    // known for half a day before the span: an average over that half
    [60, 1_200, 12.5 * 3_600_000 + 30 * minuteMs, 100],
    // known for exactly one span before it, and for a little less
    [60, 7, 2 * 3_600_000, 7],
    [60, 7, 2 * 3_600_000 - 1, null],
    [5, 3, 0, null],
  ] as const)('of %i minutes, %i before, known for %i ms: %s', (minutes, before, knownMs, usual) => {
    const span = spikeSpan({ spanMinutes: minutes }, untilMs)
    expect(usualOf({ before, knownSinceMs: untilMs - knownMs }, span)).toBe(usual)
  })

  test('is never negative and grows with earlier events', () => {
    fc.assert(
      fc.property(
        spanMinutes,
        fc.nat(1_000_000),
        fc.integer({ min: -dayMs, max: 40 * dayMs }),
        (minutes, before, knownMs) => {
          const span = spikeSpan({ spanMinutes: minutes }, untilMs)
          const knownSinceMs = untilMs - knownMs
          const usual = usualOf({ before, knownSinceMs }, span)
          const more = usualOf({ before: before + 1, knownSinceMs }, span)
          if (usual === null) {
            expect(more).toBeNull()
            return
          }
          expect(usual).toBeGreaterThanOrEqual(0)
          // a part of the day holds at least one span: an average over it is no more than all of it
          expect(usual).toBeLessThanOrEqual(before)
          expect(more).toBeGreaterThan(usual)
        },
      ),
    )
  })
})

describe('more than usual', () => {
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
  ])('%i where %s are usual: %s', (span, usual, expected) => {
    expect(isSpike(terms, span, usual)).toBe(expected)
  })

  test('remains a spike with more events or a lower baseline', () => {
    const count = fc.nat(10_000)
    fc.assert(
      fc.property(
        count,
        count,
        fc.nat(100),
        fc.double({ min: 1, max: 1_000 }),
        (span, usual, more, factor) => {
          const asked = { eventsMin: 10, factor }
          if (!isSpike(asked, span, usual)) return
          expect(isSpike(asked, span + more, usual)).toBe(true)
          expect(isSpike(asked, span, usual / 2)).toBe(true)
          expect(isSpike(asked, span, null)).toBe(true)
        },
      ),
    )
  })
})

/** Walks over one look a minute, of which each met or not. */
const walk = (looks: readonly boolean[], minutes: 5 | 60): string[] => {
  let open: OpenSpike | null = null
  return looks.map((isMet, index) => {
    const atMs = untilMs + index * minuteMs
    const step = followSpike(open, isMet, { spanMinutes: minutes }, atMs)
    if (step === 'begins') open = { beganAtMs: atMs, lastMetAtMs: atMs }
    else if (step === 'goes on' && open !== null) open = { ...open, lastMetAtMs: atMs }
    else if (step === 'ends') open = null
    return step
  })
}

test('a spike that oscillates around the threshold begins once and ends after one calm span', () => {
  expect(walk([false, true, false, true, false, false, false, false, false, true], 5)).toEqual([
    'none',
    'begins',
    'rests',
    'goes on',
    'rests',
    'rests',
    'rests',
    'rests',
    'ends',
    'begins',
  ])
})

test('spikes begin and end alternately, with a full calm span between two beginnings', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 200 }), spanMinutes, (looks, minutes) => {
      const steps = walk(looks, minutes)
      const turns = steps.filter((step) => step === 'begins' || step === 'ends')
      turns.forEach((step, index) => expect(step).toBe(index % 2 === 0 ? 'begins' : 'ends'))
      steps.forEach((step, index) => {
        if (step === 'begins') expect(looks[index]).toBe(true)
        if (step === 'ends') {
          expect(looks.slice(Math.max(0, index - minutes + 1), index + 1)).not.toContain(true)
        }
      })
    }),
  )
})

test('a span ends at a whole minute at least 30 seconds ago', () => {
  expect(spanEndMs(untilMs + 29_999)).toBe(untilMs - minuteMs)
  expect(spanEndMs(untilMs + 30_000)).toBe(untilMs)
})
