import { courseText, isFlat, type Course } from './course.ts'
import type { Ledger } from './ledger.ts'

export type SoakCounts = {
  ledger: Ledger
  /** Flips of targets that never failed: to `down`, or to `degraded` because of a region. */
  falseDowns: number
  /** Faults in the chains of flips and in their notifications. */
  brokenFlips: readonly string[]
  flips: number
  /** Planned failures of targets, and the faults in their reports. */
  failures: number
  failuresMissed: readonly string[]
  /** Partitions of all control planes at rest: leased, and consumed by their loops. */
  partitions: { held: number; ingested: number; assessed: number }
  /** The courses of the parts that survived the soak. */
  courses: readonly Course[]
  /** Whether the soak was long enough to distinguish a leak from a warm-up. */
  isLong: boolean
  /** Exit codes of the parts stopped at the end. */
  exitCodes: readonly (number | null)[]
}

export type SoakVerdict = {
  promise: string
  figure: string
  verdict: 'kept' | 'broken' | 'unproven'
}

/** The promises of a soak with their figures. */
export const judgeSoak = (counts: SoakCounts): SoakVerdict[] => {
  const { ledger, courses, partitions } = counts
  return [
    {
      promise: 'No reading is lost',
      figure: `lost ${ledger.lost} of ${ledger.stored} readings`,
      verdict: keptIf(ledger.lost === 0 && ledger.stored > 0),
    },
    {
      promise: 'No reading is duplicated or invented',
      figure: `duplicated ${ledger.duplicated}, invented ${ledger.invented}`,
      verdict: keptIf(ledger.duplicated + ledger.invented === 0),
    },
    {
      promise: 'A slot is missed only if its agent was dead or frozen',
      figure: `${ledger.missed} of ${ledger.due} slots missed, ${ledger.unexplained} of them unexplained`,
      verdict: keptIf(ledger.unexplained === 0 && ledger.due > 0),
    },
    {
      promise: 'No healthy target is reported down',
      figure: `false down ${counts.falseDowns}`,
      verdict: keptIf(counts.falseDowns === 0),
    },
    {
      promise: 'Failing targets are reported down, and operational after they recover',
      figure: `${counts.failures} failures, ${counts.failuresMissed.length} reported wrongly`,
      verdict: counts.failures === 0 ? 'unproven' : keptIf(counts.failuresMissed.length === 0),
    },
    {
      promise: 'Every flip follows the previous one and is notified once',
      figure: `${counts.flips} flips, ${counts.brokenFlips.length} broken`,
      verdict: keptIf(counts.brokenFlips.length === 0),
    },
    {
      promise: 'Only the lease owner consumes a partition',
      figure: `held ${partitions.held}, stored ${partitions.ingested}, judged ${partitions.assessed}`,
      verdict: keptIf(
        partitions.held > 0 &&
          partitions.held === partitions.ingested &&
          partitions.held === partitions.assessed,
      ),
    },
    {
      promise: 'Memory and descriptors of surviving processes stay flat',
      figure: courses.map(courseText).join('; '),
      verdict: counts.isLong ? keptIf(courses.every(isFlat)) : 'unproven',
    },
    {
      promise: 'Every process exits with 0 on SIGTERM',
      figure: counts.exitCodes.join(' '),
      verdict: keptIf(counts.exitCodes.every((code) => code === 0)),
    },
  ]
}

const keptIf = (isKept: boolean): 'kept' | 'broken' => (isKept ? 'kept' : 'broken')
