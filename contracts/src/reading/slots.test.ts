import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import {
  nextSlot,
  revisionPhase,
  slotCount,
  slotPhase,
  slotsDue,
  slotsDueCount,
  type Revision,
} from './slots.ts'

const checkId = fc.uuid()
const intervalSeconds = fc.constantFrom(1, 7, 10, 30, 45, 60, 300, 3_600, 86_400)
/** Instants within a few hours of one moment, so that short intervals stay few. */
const start = 1_795_000_000_000
const instant = fc.nat(7_200_000).map((offset) => start + offset)

/** A history without gaps or overlaps: the end of one revision is the start of the next. */
const history = fc
  .tuple(
    fc.uniqueArray(instant, { minLength: 1, maxLength: 5 }),
    fc.array(
      fc.record({
        regions: fc.subarray(['fra', 'iad']),
        intervalSeconds: fc.constantFrom(7, 10, 30, 60, 300),
        paused: fc.boolean(),
        isSpread: fc.boolean(),
      }),
      { minLength: 5, maxLength: 5 },
    ),
  )
  .map(([starts, rows]): Revision[] => {
    const sorted = starts.toSorted((a, b) => a - b)
    return sorted.flatMap((validFromMs, n) => {
      const row = rows[n]
      return row ? [{ ...row, validFromMs, validToMs: sorted[n + 1] ?? null }] : []
    })
  })

describe('slots', () => {
  test('the phase is inside the interval and never changes', () => {
    forAll([checkId, intervalSeconds], (id, seconds) => {
      const phase = slotPhase(id, 'fra', seconds * 1000)
      expect(phase).toBe(slotPhase(id, 'fra', seconds * 1000))
      expect(Number.isInteger(phase) && phase >= 0 && phase < seconds * 1000).toBe(true)
    })
  })

  test('the next slot is the first one that is not before the instant', () => {
    forAll([checkId, intervalSeconds, instant], (id, seconds, from) => {
      const intervalMs = seconds * 1000
      const phase = slotPhase(id, 'fra', intervalMs)
      const slot = nextSlot(phase, intervalMs, from)
      expect((slot - phase) % intervalMs).toBe(0)
      expect(slot >= from && slot - intervalMs < from).toBe(true)
      expect(nextSlot(phase, intervalMs, slot)).toBe(slot)
      expect(nextSlot(phase, intervalMs, slot + 1)).toBe(slot + intervalMs)
    })
  })

  test('a slot at the start of an interval counts, one at its end does not', () => {
    expect(slotCount(500, 1_000, 1_500, 2_500)).toBe(1)
    expect(slotCount(500, 1_000, 1_501, 2_500)).toBe(0)
    expect(slotCount(500, 1_000, 1_500, 2_501)).toBe(2)
    expect(slotCount(500, 1_000, 2_500, 1_500)).toBe(0)
  })

  test('phases spread evenly, also over ids and regions that differ in one character', () => {
    const buckets = Array.from({ length: 20 }, () => 0)
    for (let n = 0; n < 5_000; n++) {
      const id = `0190a000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
      for (const region of ['iad', 'sjc', 'fra', 'nrt']) {
        const bucket = Math.floor(slotPhase(id, region, 60_000) / 3_000)
        buckets[bucket] = (buckets[bucket] ?? 0) + 1
      }
    }
    const expected = 20_000 / buckets.length
    const chiSquared = buckets.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0)
    // 19 degrees of freedom: one even spread in 10,000 is above 50
    expect(chiSquared).toBeLessThan(50)
  })

  test('the phases of one check in two regions are independent', () => {
    const gaps = Array.from({ length: 2_000 }, (_, n) => {
      const id = `0190a000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
      return (slotPhase(id, 'iad', 60_000) - slotPhase(id, 'fra', 60_000) + 60_000) % 60_000
    })
    const tenths = new Set(gaps.map((gap) => Math.floor(gap / 6_000)))
    expect(tenths.size).toBe(10)
  })
})

describe('the slots of a revision', () => {
  const codes = fc.uniqueArray(fc.constantFrom('fra', 'iad', 'nrt', 'sjc', 'syd', 'gru'), {
    minLength: 1,
  })

  test('are spread evenly over the interval, in any order of the regions', () => {
    forAll([checkId, codes, intervalSeconds], (id, regions, seconds) => {
      const of = (order: readonly string[]) =>
        order.map((region) =>
          revisionPhase(id, region, { regions: order, intervalSeconds: seconds, isSpread: true }),
        )
      const phases = of(regions).toSorted((a, b) => a - b)
      expect(of(regions.toReversed()).toSorted((a, b) => a - b)).toEqual(phases)
      const intervalMs = seconds * 1_000
      const gaps = phases.map((phase, n) => (phases[n + 1] ?? (phases[0] ?? 0) + intervalMs) - phase)
      const even = intervalMs / regions.length
      expect(gaps.every((gap) => Math.abs(gap - even) <= 1)).toBe(true)
      expect(phases.every((phase) => phase >= 0 && phase < intervalMs)).toBe(true)
    })
  })

  test('of different checks start at different times', () => {
    const tenths = Array.from({ length: 1_000 }, (_, n) => {
      const id = `0190a000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
      const slotting = { regions: ['fra', 'iad'], intervalSeconds: 60, isSpread: true }
      return Math.floor(revisionPhase(id, 'fra', slotting) / 6_000)
    })
    expect(new Set(tenths).size).toBe(10)
  })

  test('use the phase of the region in a revision that is not spread', () => {
    const id = '0190a000-0000-7000-8000-000000000001'
    const revision = { regions: ['fra', 'iad', 'nrt', 'sjc'], intervalSeconds: 60 }
    const phases = revision.regions.map((region) => revisionPhase(id, region, revision))
    // unchanged since the first version
    expect(phases).toEqual([5741, 58506, 57307, 34434])
    expect(revision.regions.map((region) => slotPhase(id, region, 60_000))).toEqual(phases)
  })
})

describe('the ledger of expected slots', () => {
  test('counts exactly the listed slots, in order and without repeats', () => {
    forAll([checkId, history, instant, instant], (id, revisions, a, b) => {
      const slots = slotsDue(id, 'fra', revisions, a, b)
      expect(slotsDueCount(id, 'fra', revisions, a, b)).toBe(slots.length)
      expect(slots).toEqual([...new Set(slots)].toSorted((x, y) => x - y))
      expect(slots.every((slot) => slot >= a && slot < b)).toBe(true)
    })
  })

  test('two adjacent time ranges add up to their union', () => {
    forAll([checkId, history, instant, instant, instant], (id, revisions, x, y, z) => {
      const [a = 0, b = 0, c = 0] = [x, y, z].toSorted((p, q) => p - q)
      const due = (from: number, to: number) => slotsDueCount(id, 'fra', revisions, from, to)
      expect(due(a, b) + due(b, c)).toBe(due(a, c))
    })
  })

  test('a slot belongs to exactly one revision, the valid one', () => {
    forAll([checkId, history], (id, revisions) => {
      const end = start + 7_300_000
      const each = revisions.map((revision) => slotsDue(id, 'fra', [revision], start, end))
      expect(each.flat()).toEqual(slotsDue(id, 'fra', revisions, start, end))
      expect(new Set(each.flat()).size).toBe(each.flat().length)
      each.forEach((slots, n) => {
        const { validFromMs = 0, validToMs = null } = revisions[n] ?? {}
        expect(slots.every((slot) => slot >= validFromMs && slot < (validToMs ?? end))).toBe(true)
      })
    })
  })

  test('has no slots while paused, in other regions, or before the first revision', () => {
    const revision: Revision = {
      validFromMs: start,
      validToMs: null,
      regions: ['fra'],
      intervalSeconds: 10,
      paused: false,
    }
    const due = (revision: Revision, region = 'fra', from = start) =>
      slotsDueCount('a', region, [revision], from, from + 60_000)
    expect(due(revision)).toBe(6)
    expect(due({ ...revision, paused: true })).toBe(0)
    expect(due(revision, 'iad')).toBe(0)
    expect(due(revision, 'fra', start - 60_000)).toBe(0)
    expect(due({ ...revision, validToMs: start + 30_000 })).toBe(3)
  })
})
