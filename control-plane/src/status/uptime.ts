import type { MeasuredShare, Uptime } from '@probe-mesh/contracts/check/check'
import type { Measured } from '@probe-mesh/contracts/reading/measured'
import { uptimeWindowsMs } from '@probe-mesh/contracts/check/uptime-by-age'
import { knownSpans, lengthOf, within, type KnownSpan, type StatusEvidence } from './spans.ts'

/** The uptime of a check, and how much of each window was measured. */
export type MeasuredUptime = { uptime: Uptime; measuredShare: MeasuredShare }

/** Both at an instant; null: they could not be read. */
export type UptimeAt = MeasuredUptime & { atMs: number | null }

/**
 * The share of measured time in which the aggregate was not `down`: one bad region is no outage (S-1101 to
 * S-1103). Time that was not assessed, and time in which every probe was refused, count neither way;
 * `measuredShare` is how much of a window counts.
 */
export const uptimeOf = (evidence: StatusEvidence, nowMs: number): MeasuredUptime => {
  const known = knownSpans(evidence)
  const shares = Object.entries(uptimeWindowsMs).map(
    ([window, ms]) => [window, sharesOf(known, nowMs - ms, nowMs)] as const,
  )
  return {
    uptime: Object.fromEntries(shares.map(([window, { value }]) => [window, value])) as Uptime,
    measuredShare: Object.fromEntries(shares.map(([window, { share }]) => [window, share])) as MeasuredShare,
  }
}

const sharesOf = (known: readonly KnownSpan[], fromMs: number, toMs: number): Measured => {
  const spans = within(known, { fromMs, toMs })
  const downMs = lengthOf(spans.filter(({ isDown }) => isDown))
  return shareOf({ measuredMs: lengthOf(spans), downMs }, toMs - fromMs)
}

/** The uptime and the measured share of a window, from its measured time and its down time. */
export const shareOf = (
  { measuredMs, downMs }: { measuredMs: number; downMs: number },
  windowMs: number,
): Measured => ({
  value: measuredMs === 0 ? null : rounded(1 - downMs / measuredMs),
  // cut off, not rounded: a window with a gap is not measured as a whole
  share: Math.floor((measuredMs / windowMs) * 1e6) / 1e6,
})

const rounded = (share: number): number => Math.round(share * 1e6) / 1e6
