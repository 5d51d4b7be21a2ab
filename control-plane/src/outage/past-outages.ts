import type { PastOutage } from '@probe-mesh/contracts/outage/answers'
import { pastOutagesMax } from '@probe-mesh/contracts/outage/answers'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { goodsToRecover } from '../status/state.ts'

/**
 * Readings of one region that followed one another with one verdict; one reading is a run of one.
 */
export type ReadingRun = {
  region: Region
  verdict: 'up' | 'down' | 'blocked'
  /** Of its first and its last reading, Unix milliseconds. */
  firstMs: number
  lastMs: number
  count: number
}

/** A time in which one region failed. */
type Failure = {
  region: Region
  startMs: number
  lastDownMs: number
  /** Good readings in a row since then, and the first of them. */
  goods: number
  firstGoodMs: number
  /** Of the last reading that counted. */
  lastMs: number
  readings: number
  /** Times without a reading, between failing ones. */
  gaps: readonly Gap[]
}

/** From a failing reading to the next one, Unix milliseconds. */
type Gap = { fromMs: number; toMs: number }

export type Outage = {
  startMs: number
  endMs: number | null
  regions: Region[]
  readings: number
  /** While it goes on: the first good reading after its last failing one; null where there is none. */
  recoveringMs: number | null
  /** How long within it no region was measured failing, ms. */
  unmeasuredMs: number
}

/** What fails on both sides of a longer silence is not taken for one outage. */
const gapMsMax = 6 * 3_600_000

/**
 * The outages of one service, newest first, fifty at most. One starts at the first failing reading
 * and ends when its last region has two good readings in a row, at the first of them. A region that
 * falls silent, or is refused, stops failing at its last failing reading, since what was not measured
 * is no outage; where it fails again after that without a good reading in between, it is the same
 * one, with a gap. A single failing reading in a single region is none (S-1220).
 * @param runs in any order
 * @param staleAfterMs how long a region may be silent
 */
export const pastOutages = (runs: readonly ReadingRun[], staleAfterMs: number, nowMs: number): Outage[] => {
  const telling = runs.filter(({ verdict }) => verdict !== 'blocked')
  const failures = [...new Set(telling.map(({ region }) => region))]
    .flatMap((region) =>
      failuresOf(
        telling.filter((run) => run.region === region),
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

/** The failures of regions that were never all well in between, as one. */
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

/** The gaps that all regions which failed then have in common. */
const unmeasuredIn = (group: readonly Failure[]): number => {
  const gaps = group.flatMap((failure) => failure.gaps)
  const edges = [...new Set(gaps.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))].toSorted((a, b) => a - b)
  let sum = 0
  for (const [index, toMs] of edges.entries()) {
    const fromMs = edges[index - 1] ?? toMs
    const holds = (span: Gap): boolean => span.fromMs <= fromMs && toMs <= span.toMs
    const isSeen = group.some(
      (failure) => holds({ fromMs: failure.startMs, toMs: failure.lastDownMs }) && !failure.gaps.some(holds),
    )
    if (gaps.some(holds) && !isSeen) sum += toMs - fromMs
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

/** A good reading says that it may have ended in the silence after it. */
const gapMsOf = ({ goods }: Failure, staleAfterMs: number): number =>
  goods === 0 ? Math.max(gapMsMax, staleAfterMs) : staleAfterMs

const isOpen = ({ goods, lastMs }: Failure, staleAfterMs: number, atMs: number): boolean =>
  goods < goodsToRecover && atMs - lastMs <= staleAfterMs

const endOf = (failure: Failure, staleAfterMs: number, nowMs: number): number | null => {
  if (isOpen(failure, staleAfterMs, nowMs)) return null
  return failure.goods > 0 ? failure.firstGoodMs : failure.lastDownMs
}

/**
 * A post on the vendor's page belongs to an outage when it came between this long before and after
 * it.
 */
const vendorSlackMs = 3_600_000

/** Vendors' pages are not read yet: how far ahead of them we were is not known. */
export const noVendorPosts: readonly number[] = []

/**
 * An outage as answers show it. Positive `aheadOfVendorSeconds` is how long before the vendor's first
 * post our first failing reading was made; null where no post belongs to it or none is known.
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
