import { knownAbove, mapMeasured, measuredPart, partOfWhole } from '@probe-mesh/contracts/reading/measured'
import { burnWindows, type BurnWindow, type ObjectiveState } from '@probe-mesh/contracts/objective/objective'

/** Judged probes. Refused and unmeasured ones are in neither count (S-3708). */
export type Counts = { up: number; down: number }

/** With the share of their time that was probed. */
export type Probed = Counts & { share: number }

/** The promise of an objective. */
type Promised = { target: number; windowDays: number }

/** A target of 100 % less this share may fail. Targets have three decimals, 1 - 0.999 has seventeen. */
const allowedShare = (target: number): number => Math.round((100 - target) * 1000) / 100_000

const rounded = (value: number): number => Math.round(value * 1e6) / 1e6

/** The budget of the window and what was measured of it; null without a judged probe. */
export const errorBudget = (
  { target, windowDays }: Promised,
  { up, down, share }: Probed,
): Pick<ObjectiveState, 'ratio' | 'budgetRatio' | 'budgetMinutes' | 'budgetMinutesLeft'> => {
  const allowed = allowedShare(target)
  const budgetMinutes = rounded(windowDays * 1440 * allowed)
  const failed = measuredPart(down, up + down, share)
  // what was not measured is not spent: a bad first minute is no bad month
  const spent = partOfWhole(mapMeasured(failed, (value) => value / allowed))
  return {
    ratio: failed.value === null ? null : rounded(1 - failed.value),
    budgetRatio: spent === null ? null : rounded(1 - spent),
    budgetMinutes,
    budgetMinutesLeft: spent === null ? null : rounded(budgetMinutes * (1 - spent)),
  }
}

/** A window of which less was measured has no burn rate: seven minutes say nothing of three days. */
const burnShareMin = 0.5

/**
 * How fast the budget is spent; null where too little was measured. Rounded, since 144 of 1,000 probes at 99 % are a
 * rate of 14.4 and not a little less.
 */
const burnRate = (target: number, { up, down, share }: Probed): number | null => {
  const failed = measuredPart(down, up + down, share)
  const rate = mapMeasured(failed, (value) => rounded(value / allowedShare(target)))
  return knownAbove(rate, burnShareMin)
}

/** Pairs of windows and rates of the SRE workbook, chapter 5: 2, 5 and 10 % of a budget of 30 days. */
const pairs = [
  { rate: 14.4, long: '1h', short: '5m' },
  { rate: 6, long: '6h', short: '30m' },
  { rate: 1, long: '3d', short: '6h' },
] as const

/** The rate of a full outage: a pair above it can never burn. */
const burnRateMax = (target: number): number => rounded(1 / allowedShare(target))

const hoursOf = { '1h': 1, '6h': 6, '3d': 72 } as const

/**
 * The burn rates of all windows, and which pairs burn too fast. The rates are those of the workbook for every window:
 * what a pair spends of the budget is said, since 14.4 for an hour is 2 % of 30 days and 8.6 % of 7.
 */
export const describeBurns = (
  { target, windowDays }: Promised,
  counts: Readonly<Record<BurnWindow, Probed>>,
): Pick<ObjectiveState, 'burnRates' | 'burns'> => {
  const burnRates = Object.fromEntries(
    burnWindows.map((window) => [window, burnRate(target, counts[window])]),
  ) as ObjectiveState['burnRates']
  const rateMax = burnRateMax(target)
  const burns = pairs.map(({ rate, long, short }) => {
    const both = [burnRates[long], burnRates[short]]
    // one window below the rate decides, whether the other is known or not
    const reachable = rate <= rateMax
    const isSlow = !reachable || both.some((each) => each !== null && each < rate)
    const spending = isSlow ? false : both.some((each) => each === null) ? null : true
    const budgetShare = rounded((rate * hoursOf[long]) / (windowDays * 24))
    return { rate, long, short, budgetShare, spending, reachable }
  })
  return { burnRates, burns }
}
