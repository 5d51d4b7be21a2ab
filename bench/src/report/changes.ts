import type { FigureLine } from '../harness/figure.ts'
import type { Machine } from '../harness/machine.ts'
import type { Result } from '../harness/results.ts'

/** A figure that moves by less than this share counts as unchanged. */
export const shareThatCounts = 0.15

/** A figure of the newest run beside the last one before it on the same kind of machine. */
export type Change = {
  bench: string
  figure: string
  unit: string
  before: { value: number; date: string; commit: string | null }
  after: number
  /** How much worse it became, as a share of what it was; negative: better. */
  worseBy: number
  /**
   * `unsure`: it moved that far, but the middle halves of both runs overlap, or the machine itself was
   * that much slower or faster. `peer`: it belongs to a peer, and shows the machine.
   */
  verdict: 'worse' | 'better' | 'same' | 'unsure' | 'peer'
}

/** The newest run of a history beside earlier ones. */
export type Comparison = {
  bench: string
  newest: Result
  changes: readonly Change[]
  /** How much slower the machine was, at least, than for the run before; null without both paces. */
  slowerBy: number | null
  /** Figures that no earlier run on such a machine has. */
  fresh: readonly string[]
  /** Figures for which neither aim nor unit says which way is better. */
  neutral: readonly string[]
}

/**
 * Compares each figure of the newest run with the last earlier one on the same kind of machine.
 * @param against only runs of that commit, or of that day (2026-11-20) and before; null: the last
 * @returns null where there is no run
 */
export const compareHistory = (
  bench: string,
  history: readonly Result[],
  against: string | null,
): Comparison | null => {
  const newest = history.at(-1)
  if (newest === undefined) return null
  const earlier = history
    .slice(0, -1)
    .filter((run) => isSameMachine(run.machine, newest.machine) && isMeant(run, against))
    .toReversed()
  const changes: Change[] = []
  const fresh: string[] = []
  const neutral: string[] = []
  for (const line of newest.figures) {
    const run = earlier.find(({ figures }) => lineOf(figures, line.figure) !== undefined)
    const before = lineOf(run?.figures ?? [], line.figure)
    const direction = directionOf(line)
    if (run === undefined || before === undefined) fresh.push(line.figure)
    else if (direction === null) neutral.push(line.figure)
    else {
      const worseBy = worseByOf(before.value, line.value, direction)
      const { figure, unit } = line
      changes.push({
        bench,
        figure,
        unit,
        before: { value: before.value, date: run.date, commit: run.commit },
        after: line.value,
        worseBy,
        verdict: verdictOf(line, before, worseBy, slowerByOf(newest, run) ?? 0),
      })
    }
  }
  const last = earlier[0]
  const slowerBy = last === undefined ? null : slowerByOf(newest, last)
  return { bench, newest, changes, slowerBy, fresh, neutral }
}

const lineOf = (figures: readonly FigureLine[], name: string): FigureLine | undefined =>
  figures.find(({ figure }) => figure === name)

/** A minor version of Node is no other machine; another processor is. */
const isSameMachine = (one: Machine, other: Machine): boolean =>
  one.cpu === other.cpu &&
  one.cores === other.cores &&
  one.platform === other.platform &&
  one.node.split('.')[0] === other.node.split('.')[0]

const isMeant = ({ commit, date }: Result, against: string | null): boolean =>
  against === null || (isDay(against) ? date.slice(0, 10) <= against : (commit ?? '').startsWith(against))

/** Whether a text names a day, as an ISO date does. */
const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text)

const worseByOf = (before: number, after: number, direction: 'less' | 'more'): number => {
  const [good, bad] = direction === 'less' ? [before, after] : [after, before]
  if (good === bad) return 0
  return bad / good - 1
}

/** By how much at least: paces that overlap are the same, so that one bad second excuses nothing. */
const slowerByOf = ({ pace: after }: Result, { pace: before }: Result): number | null => {
  if (after === undefined || before === undefined) return null
  const slower = Math.min(...after) / Math.max(...before) - 1
  const faster = Math.max(...after) / Math.min(...before) - 1
  return slower > 0 ? slower : Math.min(0, faster)
}

const verdictOf = (
  after: FigureLine,
  before: FigureLine,
  worseBy: number,
  slowerBy: number,
): Change['verdict'] => {
  if (isOfPeer(after.figure)) return 'peer'
  if (Math.abs(worseBy) <= shareThatCounts) return 'same'
  if (isOfTime(after.unit) && isOfMachine(worseBy, slowerBy)) return 'unsure'
  if (overlap(runsOf(after), runsOf(before))) return 'unsure'
  return worseBy > 0 ? 'worse' : 'better'
}

/** Whether what a figure moved by is no more than what the machine did, give or take what never counts. */
const isOfMachine = (worseBy: number, slowerBy: number): boolean =>
  Math.sign(worseBy) === Math.sign(slowerBy) &&
  Math.abs(Math.log1p(worseBy)) <= Math.abs(Math.log1p(slowerBy)) + Math.log1p(shareThatCounts)

const runsOf = ({ runs }: FigureLine): readonly number[] =>
  Array.isArray(runs) && runs.every((run) => typeof run === 'number') ? runs : []

/** Whether the middle halves of two series of runs have something in common; false of too few. */
const overlap = (one: readonly number[], other: readonly number[]): boolean => {
  if (one.length < 3 || other.length < 3) return false
  const [a, b] = [middleHalf(one), middleHalf(other)]
  return a.from <= b.to && b.from <= a.to
}

const middleHalf = (runs: readonly number[]): { from: number; to: number } => {
  const sorted = runs.toSorted((a, b) => a - b)
  const outside = Math.floor(sorted.length / 4)
  return {
    from: sorted[outside] ?? Number.NaN,
    to: sorted[sorted.length - 1 - outside] ?? Number.NaN,
  }
}

/** Which way a figure is better. */
type Direction = 'less' | 'more'

const duration = /^(ms|CPU m?s|minutes|% of a core)\b/
const amount = /^(bytes|KB|MiB|processes|requests|count|a month)\b/
const moreIsBetter = /^\S+\/(s|min)$/

/** Whether a slower machine alone makes a figure with this unit worse. */
const isOfTime = (unit: string): boolean => duration.test(unit) || moreIsBetter.test(unit)

/** From the aim, else from the unit; null if neither decides, as for a ratio without an aim. */
export const directionOf = ({ aim, unit }: Pick<FigureLine, 'unit'> & { aim?: string }): Direction | null => {
  if (aim !== undefined) return aim.startsWith('<=') ? 'less' : 'more'
  if (moreIsBetter.test(unit)) return 'more'
  return duration.test(unit) || amount.test(unit) ? 'less' : null
}

/** The peers and floors, as they appear in names of figures. */
const peers = [
  'bare_timer',
  'blackbox',
  'by_hand',
  'constant',
  'data',
  'empty',
  'http_raw',
  'https_raw',
  'openssl',
  'parse_floor',
  'raw_insert',
  'sdk_example',
]

/** Whether a figure belongs to a peer, and so shows the machine. A ratio to a peer is ours. */
export const isOfPeer = (figure: string): boolean =>
  !/_(to|over)_/.test(figure) && peers.some((peer) => `_${figure}_`.includes(`_${peer}_`))
