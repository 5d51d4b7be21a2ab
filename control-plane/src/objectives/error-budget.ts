import { burnWindows, type BurnWindow, type ObjectiveState } from '@probe-mesh/contracts/objective/objective'

/** Judged probes. Refused and unmeasured ones are in neither count (S-3708). */
export type Counts = { up: number; down: number }

/** The promise of an objective. */
type Promised = { target: number; windowDays: number }

/** A target of 100 % less this share may fail. Targets have three decimals, 1 - 0.999 has seventeen. Pure. */
const allowedShare = (target: number): number => Math.round((100 - target) * 1000) / 100_000

const rounded = (value: number): number => Math.round(value * 1e6) / 1e6

/** The budget of the window and what is left of it; null without a judged probe. Pure. */
export const errorBudget = (
  { target, windowDays }: Promised,
  { up, down }: Counts,
): Pick<ObjectiveState, 'ratio' | 'budgetRatio' | 'budgetMinutes' | 'budgetMinutesLeft'> => {
  const allowed = allowedShare(target)
  const budgetMinutes = rounded(windowDays * 1440 * allowed)
  if (up + down === 0) return { ratio: null, budgetRatio: null, budgetMinutes, budgetMinutesLeft: null }
  const left = 1 - down / (up + down) / allowed
  return {
    ratio: rounded(up / (up + down)),
    budgetRatio: rounded(left),
    budgetMinutes,
    budgetMinutesLeft: rounded(budgetMinutes * left),
  }
}

/**
 * How fast the budget is spent; null without a judged probe. Rounded, since 144 of 1,000 probes at 99 % are a rate
 * of 14.4 and not a little less. Pure.
 */
const burnRate = (target: number, { up, down }: Counts): number | null =>
  up + down === 0 ? null : rounded(down / (up + down) / allowedShare(target))

/** Pairs of windows and rates of the SRE workbook, chapter 5: 2, 5 and 10 % of a budget of 30 days. */
const pairs = [
  { rate: 14.4, long: '1h', short: '5m' },
  { rate: 6, long: '6h', short: '30m' },
  { rate: 1, long: '3d', short: '6h' },
] as const

/** The burn rates of all windows, and which pairs burn too fast. Pure. */
export const describeBurns = (
  target: number,
  counts: Readonly<Record<BurnWindow, Counts>>,
): Pick<ObjectiveState, 'burnRates' | 'burns'> => {
  const burnRates = Object.fromEntries(
    burnWindows.map((window) => [window, burnRate(target, counts[window])]),
  ) as ObjectiveState['burnRates']
  const burns = pairs.map(({ rate, long, short }) => {
    const both = [burnRates[long], burnRates[short]]
    // one window below the rate decides, whether the other is known or not
    const isSlow = both.some((each) => each !== null && each < rate)
    const spending = isSlow ? false : both.some((each) => each === null) ? null : true
    return { rate, long, short, spending }
  })
  return { burnRates, burns }
}
