import type { PastOutage } from '@probe-mesh/contracts/answers'
import { pastOutagesMax } from '@probe-mesh/contracts/answers'
import type { Region } from '@probe-mesh/contracts/regions'
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
}

export type Outage = { startMs: number; endMs: number | null; regions: Region[]; readings: number }

/**
 * The outages of one service, newest first, fifty at most. One starts at the first failing reading
 * and ends when its last region has two good readings in a row, at the first of them. A region that
 * falls silent, or is refused, stops failing at its last failing reading: what was not measured is
 * no outage. A single failing reading in a single region is none.
 * @param runs in any order
 * @param staleAfterMs how long a region may be silent
 */
export const pastOutages = (
  runs: readonly ReadingRun[],
  staleAfterMs: number,
  nowMs: number,
): Outage[] => {
  const telling = runs.filter(({ verdict }) => verdict !== 'blocked')
  const failures = [...new Set(telling.map(({ region }) => region))]
    .flatMap((region) =>
      failuresOf(
        telling.filter((run) => run.region === region),
        staleAfterMs,
      ),
    )
    .toSorted((a, b) => a.startMs - b.startMs || (a.region < b.region ? -1 : 1))
  const outages: Outage[] = []
  for (const failure of failures) {
    const endMs = endOf(failure, staleAfterMs, nowMs)
    const { startMs, region, readings } = failure
    const last = outages.at(-1)
    if (last === undefined || (last.endMs !== null && last.endMs < startMs)) {
      outages.push({ startMs, endMs, regions: [region], readings })
    } else {
      outages[outages.length - 1] = joined(last, { startMs, endMs, regions: [region], readings })
    }
  }
  return outages
    .filter(({ readings }) => readings > 1)
    .toReversed()
    .slice(0, pastOutagesMax)
}

const joined = (earlier: Outage, later: Outage): Outage => ({
  startMs: earlier.startMs,
  endMs:
    earlier.endMs === null || later.endMs === null ? null : Math.max(earlier.endMs, later.endMs),
  regions: [...new Set([...earlier.regions, ...later.regions])].toSorted(),
  readings: earlier.readings + later.readings,
})

const failuresOf = (runs: readonly ReadingRun[], staleAfterMs: number): Failure[] => {
  const failures: Failure[] = []
  for (const run of runs.toSorted((a, b) => a.firstMs - b.firstMs)) {
    const last = failures.at(-1)
    const open = last !== undefined && isOpen(last, staleAfterMs, run.firstMs) ? last : null
    if (run.verdict === 'down') {
      const failure = {
        region: run.region,
        startMs: open?.startMs ?? run.firstMs,
        lastDownMs: run.lastMs,
        goods: 0,
        firstGoodMs: 0,
        lastMs: run.lastMs,
        readings: (open?.readings ?? 0) + run.count,
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

/**
 * An outage as it is told. Positive `aheadOfVendorSeconds` is how long before the vendor's first
 * post our first failing reading was made; null where no post belongs to it or none is known.
 * @param vendorPosts Unix milliseconds, in any order
 */
export const describeOutage = (
  { startMs, endMs, regions }: Outage,
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
    aheadOfVendorSeconds:
      belongs.length === 0 ? null : Math.round((Math.min(...belongs) - startMs) / 1000),
  }
}
