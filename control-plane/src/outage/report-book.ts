import type { ReportRegion } from '@probe-mesh/contracts/outage/answers'
import type { ReportMinute } from './report-volume.ts'

/** One visitor's report of one service. */
export type Report = {
  /** Of the catalog: others are not counted. */
  slug: string
  /** Live, or `unknown`: whoever takes a report lets no other through. */
  region: ReportRegion
  /** Of the visitor: kept as a salted hash, in memory only. */
  address: string
}

/** What people report: counts alone, never who. */
export type ReportBook = {
  /**
   * Counts a report. @returns false where the same address reported the same service in the last
   * quarter of an hour, or where nothing more can be remembered
   */
  take(report: Report): boolean
  /** Counts of the last hour, by minute and region. */
  minutesOf(slug: string): readonly ReportMinute[]
  /** Counts of the `usualQuarters` of now that were counted; empty where none is known. */
  usualOf(slug: string): readonly number[]
}
