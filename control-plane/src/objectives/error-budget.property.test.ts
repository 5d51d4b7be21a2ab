import { burnWindows, type BurnWindow } from '@probe-mesh/contracts/objective/objective'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { describeBurns, errorBudget, type Counts, type Probed } from './error-budget.ts'

const minutesOf: Record<BurnWindow, number> = { '5m': 5, '30m': 30, '1h': 60, '6h': 360, '3d': 4_320 }

/** Probes with their age in minutes. */
const probe = fc.record({
  age: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 9_000 })),
  verdict: fc.constantFrom('up' as const, 'up' as const, 'up' as const, 'down' as const, 'blocked' as const),
})
type Probe = typeof probe extends fc.Arbitrary<infer Value> ? Value : never
const target = fc.integer({ min: 50_000, max: 99_999 }).map((thousandths) => thousandths / 1000)

const countsOf = (probes: readonly Probe[], minutes: number): Counts => ({
  up: probes.filter(({ age, verdict }) => age < minutes && verdict === 'up').length,
  down: probes.filter(({ age, verdict }) => age < minutes && verdict === 'down').length,
})

test('of a window that is measured, the budget is spent by as many failed probes as the target allows, counted one by one', () => {
  forAll([fc.array(probe, { maxLength: 200 }), target], (probes, percent) => {
    const judged = probes.filter(({ verdict }) => verdict !== 'blocked')
    const found = errorBudget({ target: percent, windowDays: 7 }, { ...countsOf(probes, Infinity), share: 1 })
    const minutes = (7 * 1440 * (100 - percent)) / 100
    expect(found.budgetMinutes).toBeCloseTo(minutes, 5)
    if (judged.length === 0) {
      expect(found).toMatchObject({ ratio: null, budgetRatio: null, budgetMinutesLeft: null })
      return
    }
    let left = (judged.length * (100 - percent)) / 100
    const whole = left
    for (const { verdict } of judged) if (verdict === 'down') left -= 1
    expect(found.budgetRatio).toBeCloseTo(left / whole, 4)
    expect(found.budgetMinutesLeft).toBeCloseTo((minutes * left) / whole, 1)
    expect(found.ratio).toBeCloseTo(
      judged.filter(({ verdict }) => verdict === 'up').length / judged.length,
      5,
    )
  })
})

test('a pair of windows burns when both spend at its rate, and is not known when one has no judged probe', () => {
  forAll([fc.array(probe, { maxLength: 80 }), target], { numRuns: 500 }, (probes, percent) => {
    const counts = Object.fromEntries(
      burnWindows.map((window) => [window, { ...countsOf(probes, minutesOf[window]), share: 0.5 }]),
    ) as Record<BurnWindow, Probed>
    const { burnRates, burns } = describeBurns({ target: percent, windowDays: 30 }, counts)
    // by failed probes and the number that the target allows, in whole thousandths
    const isAtLeast = (window: BurnWindow, tenths: number): boolean | null => {
      const { up, down } = counts[window]
      if (up + down === 0) return null
      return down * 100_000 * 10 >= tenths * Math.round((100 - percent) * 1000) * (up + down)
    }
    for (const window of burnWindows) expect(burnRates[window] === null).toBe(isAtLeast(window, 0) === null)
    const expected = (
      [
        [144, '1h', '5m'],
        [60, '6h', '30m'],
        [10, '3d', '6h'],
      ] as const
    ).map(([tenths, long, short]) => {
      const both = [isAtLeast(long, tenths), isAtLeast(short, tenths)]
      // a full outage burns at this many tenths
      if (both.some((each) => each === false) || tenths * (100 - percent) > 1_000 + 1e-6) return false
      return both.some((each) => each === null) ? null : true
    })
    expect(burns.map(({ spending }) => spending)).toEqual(expected)
  })
})

test.each([
  [93.056, [true, true, true]],
  [93.055, [false, true, true]],
  [83, [false, false, true]],
  [50, [false, false, true]],
])('at a target of %d % a full outage reaches the pairs %j', (target, reachable) => {
  const counts = { up: 0, down: 10, share: 1 }
  const { burns } = describeBurns(
    { target, windowDays: 30 },
    {
      '5m': counts,
      '30m': counts,
      '1h': counts,
      '6h': counts,
      '3d': counts,
    },
  )
  expect(burns.map((pair) => pair.reachable)).toEqual(reachable)
  expect(burns.map(({ spending }) => spending)).toEqual(reachable)
})

test('exactly 14.4 times the allowed failures burn, and one failure less does not', () => {
  const same = (counts: Counts) =>
    Object.fromEntries(burnWindows.map((window) => [window, { ...counts, share: 1 }])) as Record<
      BurnWindow,
      Probed
    >
  const spendingAt = (down: number) =>
    describeBurns({ target: 99, windowDays: 30 }, same({ up: 1_000 - down, down })).burns[0]?.spending
  expect([spendingAt(144), spendingAt(143)]).toEqual([true, false])
})

test.each([
  [7, [0.085714, 0.214286, 0.428571]],
  [28, [0.021429, 0.053571, 0.107143]],
  [30, [0.02, 0.05, 0.1]],
  [90, [0.006667, 0.016667, 0.033333]],
])('in a window of %d days the pairs spend %j of the budget before they burn', (windowDays, shares) => {
  const counts = { up: 10, down: 0, share: 1 }
  const all = { '5m': counts, '30m': counts, '1h': counts, '6h': counts, '3d': counts }
  const { burns } = describeBurns({ target: 99.9, windowDays }, all)
  expect(burns.map(({ budgetShare }) => budgetShare)).toEqual(shares)
})
