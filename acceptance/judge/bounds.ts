import { percentile, type Tally } from './tally.ts'

/** A promise for generated worlds: a figure and its maximum. */
export type Bound = {
  name: string
  most: number
  figure: (tally: Tally) => number
  /** Why the bound does not hold yet; absent if it holds. */
  failsBecause?: string
  /** The same for rare worlds, which only many seeds contain. */
  rarelyFailsBecause?: string
}

const wrong =
  (name: string) =>
  ({ wrongs }: Tally): number =>
    wrongs.count('decided', name)

const p95Seconds =
  (name: string) =>
  ({ delays }: Tally): number =>
    percentile(delays.get(name) ?? [], 0.95) / 1_000

/** Percentage of healthy services reported down when the evidence does not decide. */
const accusedPercent = ({ answers }: Tally): number => {
  const answered = [...answers.cells].filter(([key]) => key.startsWith('undecided|up|'))
  const all = answered.reduce((sum, [, count]) => sum + count, 0)
  const accused =
    answers.of('undecided', 'up', 'down') + answers.of('undecided', 'up', 'down_in_some_regions')
  return all === 0 ? 0 : (100 * accused) / all
}

export const bounds: readonly Bound[] = [
  {
    name: 'wrong down',
    most: 0,
    figure: wrong('wrong down'),
  },
  {
    name: 'wrong up',
    most: 0,
    figure: wrong('wrong up'),
  },
  {
    name: 'wrong down_in_some_regions',
    most: 0,
    figure: wrong('wrong down_in_some_regions'),
  },
  {
    name: 'wrong blocked',
    most: 0,
    figure: wrong('wrong blocked'),
  },
  { name: 'no_data despite fresh verdicts', most: 0, figure: wrong('no_data') },
  {
    name: 'a check wrongly down',
    most: 0,
    figure: wrong('check down'),
    rarelyFailsBecause: 'doubted silence in one region leaves three regions, and two of three are a majority',
  },
  {
    name: 'a check wrongly operational',
    most: 0,
    figure: wrong('check operational'),
  },
  {
    name: 'a check wrongly degraded',
    most: 0,
    figure: wrong('check degraded'),
  },
  { name: 'a check wrongly stale', most: 0, figure: wrong('check stale') },
  {
    name: 'healthy services reported down on undecided evidence, percent',
    most: 1,
    figure: accusedPercent,
  },
  {
    name: 'p95 seconds to report an answered failure everywhere',
    most: 20,
    figure: p95Seconds('answered failure, everywhere'),
  },
  {
    name: 'p95 seconds to report a connection failure everywhere',
    most: 20,
    figure: p95Seconds('no connection, everywhere'),
  },
  {
    name: 'p95 seconds to report a timeout everywhere',
    most: 60,
    figure: p95Seconds('time-out, everywhere'),
  },
  {
    name: 'p95 seconds to report a recovery everywhere',
    most: 20,
    figure: p95Seconds('recovery, everywhere'),
  },
  // each region measures once per interval, and only its own slot detects a local failure
  {
    name: 'p95 seconds to report an answered failure in some regions',
    most: 65,
    figure: p95Seconds('answered failure, in some regions'),
  },
  {
    name: 'p95 seconds to report a connection failure in some regions',
    most: 90,
    figure: p95Seconds('no connection, in some regions'),
  },
  {
    name: 'p95 seconds to report a timeout in some regions',
    most: 105,
    figure: p95Seconds('time-out, in some regions'),
  },
  {
    name: 'p95 seconds to report a recovery in some regions',
    most: 65,
    figure: p95Seconds('recovery, in some regions'),
  },
]
