import { pastOutagesMax, type PastOutage } from '@probe-mesh/contracts/outage/answers'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { goodsToRecover } from '../status/state.ts'

/** Consecutive readings of one region with the same verdict. A single reading is a run of one. */
export type ReadingRun = {
  region: Region
  verdict: 'up' | 'down' | 'blocked'
  /** The times of the first and last reading, Unix milliseconds. */
  firstMs: number
  lastMs: number
  count: number
}

/** A period of failure in one region. */
type Failure = {
  region: Region
  startMs: number
  lastDownMs: number
  /** Consecutive good readings since the last failing one. */
  goods: number
  firstGoodMs: number
  /** The time of the last counted reading. */
  lastMs: number
  readings: number
  /** Periods without readings between failing ones. */
  gaps: readonly Gap[]
}

/** From a failing reading to the next one, Unix milliseconds. */
type Gap = { fromMs: number; toMs: number }

export type Outage = {
  startMs: number
  endMs: number | null
  regions: Region[]
  readings: number
  /** The first good reading after the last failing one, while the outage is ongoing; null without one. */
  recoveringMs: number | null
  /** The time within the outage when no region had a failing reading, ms. */
  unmeasuredMs: number
}

/** Failures on both sides of a longer gap are separate outages. */
const gapMsMax = 6 * 3_600_000

/**
 * The outages of one service, newest first, at most 50. An outage starts at the first failing reading. It
 * ends when its last region has two consecutive good readings, at the first of them. If a region goes silent
 * or is refused, its failure ends at the last failing reading, because unmeasured time is not an outage. If
 * it fails again without a good reading in between, the outage continues, with a gap. A single failing
 * reading in one region is not an outage (S-1220).
 * @param runs in any order
 * @param staleAfterMs the longest time without a reading that is not a gap
 */
export const pastOutages = (runs: readonly ReadingRun[], staleAfterMs: number, nowMs: number): Outage[] => {
  const measured = runs.filter(({ verdict }) => verdict !== 'blocked')
  const failures = [...new Set(measured.map(({ region }) => region))]
    .flatMap((region) =>
      failuresOf(
        measured.filter((run) => run.region === region),
        staleAfterMs,
      ),
    )
    .toSorted((a, b) => a.startMs - b.startMs || (a.region < b.region ? -1 : 1))
  const groups: Failure[][] = []
  let endMs: number | null = -Infinity
  for (const failure of failures) {
    const own = endOf(failure, staleAfterMs, nowMs)
    if (endMs !== null && endMs < failure.startMs) {
      groups.push([failure])
      endMs = own
    } else {
      groups.at(-1)?.push(failure)
      endMs = endMs === null || own === null ? null : Math.max(endMs, own)
    }
  }
  return groups
    .map((group) => outageOf(group, staleAfterMs, nowMs))
    .filter(({ readings }) => readings > 1)
    .toReversed()
    .slice(0, pastOutagesMax)
}

/** Merges overlapping failures of several regions into one outage. */
const outageOf = (group: readonly Failure[], staleAfterMs: number, nowMs: number): Outage => {
  const ends = group.map((failure) => endOf(failure, staleAfterMs, nowMs))
  const open = group.filter((_, index) => ends[index] === null)
  const isRecovering = open.length > 0 && open.every(({ goods }) => goods > 0)
  return {
    startMs: Math.min(...group.map(({ startMs }) => startMs)),
    endMs: open.length > 0 ? null : Math.max(...ends.map((end) => end ?? 0)),
    regions: [...new Set(group.map(({ region }) => region))].toSorted(),
    readings: group.reduce((sum, { readings }) => sum + readings, 0),
    recoveringMs: isRecovering ? Math.max(...open.map(({ firstGoodMs }) => firstGoodMs)) : null,
    unmeasuredMs: unmeasuredIn(group),
  }
}

/** The total time of the gaps that all failing regions have in common. */
const unmeasuredIn = (group: readonly Failure[]): number => {
  const gaps = group.flatMap((failure) => failure.gaps)
  const edges = [...new Set(gaps.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))].toSorted((a, b) => a - b)
  let sum = 0
  for (const [index, toMs] of edges.entries()) {
    const fromMs = edges[index - 1] ?? toMs
    const contains = (span: Gap): boolean => span.fromMs <= fromMs && toMs <= span.toMs
    const isMeasured = group.some(
      (failure) =>
        contains({ fromMs: failure.startMs, toMs: failure.lastDownMs }) && !failure.gaps.some(contains),
    )
    if (gaps.some(contains) && !isMeasured) sum += toMs - fromMs
  }
  return sum
}

const failuresOf = (runs: readonly ReadingRun[], staleAfterMs: number): Failure[] => {
  const failures: Failure[] = []
  for (const run of runs.toSorted((a, b) => a.firstMs - b.firstMs)) {
    const last = failures.at(-1)
    const isDown = run.verdict === 'down'
    const open =
      last !== undefined && isOpen(last, isDown ? gapMsOf(last, staleAfterMs) : staleAfterMs, run.firstMs)
        ? last
        : null
    if (isDown) {
      const isGap = open !== null && run.firstMs - open.lastMs > staleAfterMs
      const failure = {
        region: run.region,
        startMs: open?.startMs ?? run.firstMs,
        lastDownMs: run.lastMs,
        goods: 0,
        firstGoodMs: 0,
        lastMs: run.lastMs,
        readings: (open?.readings ?? 0) + run.count,
        gaps: [...(open?.gaps ?? []), ...(isGap ? [{ fromMs: open.lastMs, toMs: run.firstMs }] : [])],
      }
      if (open === null) failures.push(failure)
      else failures[failures.length - 1] = failure
    } else if (open !== null) {
      failures[failures.length - 1] = {
        ...open,
        goods: open.goods + run.count,
        firstGoodMs: open.goods === 0 ? run.firstMs : open.firstGoodMs,
        lastMs: run.lastMs,
      }
    }
  }
  return failures
}

/** After a good reading the outage may have ended during the gap, so a shorter gap ends it. */
const gapMsOf = ({ goods }: Failure, staleAfterMs: number): number =>
  goods === 0 ? Math.max(gapMsMax, staleAfterMs) : staleAfterMs

const isOpen = ({ goods, lastMs }: Failure, staleAfterMs: number, atMs: number): boolean =>
  goods < goodsToRecover && atMs - lastMs <= staleAfterMs

const endOf = (failure: Failure, staleAfterMs: number, nowMs: number): number | null => {
  if (isOpen(failure, staleAfterMs, nowMs)) return null
  return failure.goods > 0 ? failure.firstGoodMs : failure.lastDownMs
}

/**
 * A post on the vendor's status page belongs to an outage from this long before its start to this long after
 * its end.
 */
const vendorSlackMs = 3_600_000

/** Vendors' status pages are not read yet, so our lead over them is unknown. */
export const noVendorPosts: readonly number[] = []

/**
 * An outage as answers show it. `aheadOfVendorSeconds` is the time from our first failing reading to the
 * vendor's first post; negative if the vendor was first, null if no post belongs to the outage.
 * @param vendorPosts Unix milliseconds, in any order
 */
export const describeOutage = (
  { startMs, endMs, regions, unmeasuredMs }: Outage,
  vendorPosts: readonly number[],
  nowMs: number,
): PastOutage => {
  const belongs = vendorPosts.filter(
    (postMs) => postMs >= startMs - vendorSlackMs && postMs <= (endMs ?? nowMs) + vendorSlackMs,
  )
  return {
    startedAt: new Date(startMs).toISOString(),
    endedAt: endMs === null ? null : new Date(endMs).toISOString(),
    ongoing: endMs === null,
    durationSeconds: Math.max(0, Math.round(((endMs ?? nowMs) - startMs) / 1000)),
    regions,
    unmeasuredSeconds: Math.round(unmeasuredMs / 1000),
    aheadOfVendorSeconds: belongs.length === 0 ? null : Math.round((Math.min(...belongs) - startMs) / 1000),
  }
}
