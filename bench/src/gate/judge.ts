import type { Commits } from '../harness/machine.ts'
import { gateRatios, type RatioName } from './ratios.ts'

/** What a ratio was when it was accepted. */
export type Accepted = {
  figure: number
  limit: number
  /** The commit and the day of the measurement. Null outside a repository. */
  commit: string | null
  date: string
}

/** `bench/gate.json`. */
export type AcceptedRatios = Partial<Record<RatioName, Accepted>>

/** How far a ratio may move. */
const quarter = 1.25

export type Verdict = 'within' | 'worse' | 'better' | 'new'

/** `better`: by more than a quarter, so that the limit holds little. `new`: without a limit. */
export const judge = (figure: number, accepted: Accepted | undefined): Verdict => {
  if (accepted === undefined) return 'new'
  if (!(figure <= accepted.limit)) return 'worse'
  return figure * quarter < accepted.figure ? 'better' : 'within'
}

/** What is accepted from now on. A ratio within its limit keeps it, so that no limit creeps. */
export const accept = (
  before: AcceptedRatios,
  measured: Readonly<Record<RatioName, number>>,
  at: { commit: string | null; date: string },
): AcceptedRatios => ({
  ...before,
  ...Object.fromEntries(
    Object.entries(measured).flatMap(([name, value]) => {
      if (judge(value, before[name as RatioName]) === 'within') return []
      const figure = Number(value.toPrecision(3))
      return [[name, { figure, limit: Number((figure * quarter).toPrecision(3)), ...at }]]
    }),
  ),
})

/**
 * Describes a ratio that is not within its limits.
 * @param commits since it was accepted; null where they are unknown
 * @returns null for one that is
 */
export const describeVerdict = (
  name: RatioName,
  figure: number,
  accepted: Accepted | undefined,
  commits: Commits | null,
): string | null => {
  const verdict = judge(figure, accepted)
  const { what, floor, folders } = gateRatios[name]
  const cost = `${name}: ${what} costs ${figure.toPrecision(3)} times the CPU of ${floor}`
  if (accepted === undefined) return `${cost}; it has no limit yet.`
  const { limit, commit, date } = accepted
  const last = `the ${accepted.figure} of ${date} at ${commit ?? 'no commit'}`
  if (verdict === 'within') return null
  if (verdict === 'better') return `${cost}, a quarter less than ${last}; tighten the limit of ${limit}.`
  const head = `${cost}; the limit is ${limit}, a quarter above ${last}.`
  if (commits === null) return `${head} This clone does not have the commits since then.`
  const { newest, count } = commits
  if (count === 0) return `${head} No commit since then changes ${folders.join(', ')}.`
  const older = count > newest.length ? [`and ${count - newest.length} older`] : []
  const intro = `${head} Commits since then that change ${folders.join(', ')}, newest first:`
  return [intro, ...newest, ...older].join('\n  ')
}
