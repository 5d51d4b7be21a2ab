import type { Evidence } from '@probe-mesh/contracts/outage/answers'
import { regionsReadMax, probesNamedMax } from '@probe-mesh/contracts/outage/answers'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { ReadAt, RegionView } from './region-reading.ts'
import { probeGrades } from '@probe-mesh/contracts/outage/catalog-grade'
import type { GradedProbe } from '@probe-mesh/contracts/outage/catalog-grade'

/** What an answer stands on: the regions that count, and when anything was measured last. */
type Ground = {
  /** Regions of which something fresh was read, also where it decides nothing; repeated ones count once. */
  fresh: readonly Region[]
  /** Unix milliseconds of the newest measurement, fresh or not; null where there is none. */
  measuredAtMs: number | null
}

/**
 * The regions that were read, when, and how fresh that is (S-1207, S-1208). Only what is fresh was read for
 * the answer; a measurement that is not makes it `stale`.
 */
export const evidenceOf = (
  { fresh, measuredAtMs }: Ground,
  { nowMs, staleAfterMs, vantage }: ReadAt,
): Evidence => ({
  regionsRead: [...new Set(fresh)].toSorted().slice(0, regionsReadMax),
  measuredAt: measuredAtMs === null ? null : new Date(measuredAtMs).toISOString(),
  freshness: {
    verdict: measuredAtMs === null ? 'no_data' : fresh.length > 0 ? 'fresh' : 'stale',
    ageSeconds: measuredAtMs === null ? null : Math.max(0, Math.round((nowMs - measuredAtMs) / 1000)),
    staleAfterSeconds: staleAfterMs / 1000,
  },
  vantage,
})

/**
 * The ground that regions of one or several services give. What is quarantined gives none; what was
 * measured and decides nothing does where nothing decides.
 */
export const groundOf = (views: readonly RegionView[]): Ground => {
  const fresh = views.filter((view) => view.fresh)
  const undecided = views.filter(isMeasured)
  if (fresh.length === 0 && undecided.length > 0) {
    return {
      fresh: undecided.map(({ region }) => region),
      measuredAtMs: Math.max(...undecided.map(measuredAtOf)),
    }
  }
  const held = fresh.length > 0 ? fresh : views.filter((view) => !view.quarantined)
  const times = held.flatMap(({ reading }) => (reading === null ? [] : [reading.measuredAt]))
  return {
    fresh: fresh.map((view) => view.region),
    measuredAtMs: times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b)),
  }
}

/** Measured lately, and it cannot be said what that means. */
const isMeasured = ({ quarantined, doubted, weighed, undecided }: RegionView): boolean =>
  !quarantined && (doubted || weighed || (undecided !== null && undecided.why !== 'unmeasured'))

const measuredAtOf = ({ undecided, reading }: RegionView): number =>
  Math.max(undecided?.measuredAt ?? -Infinity, reading?.measuredAt ?? -Infinity)

/** No evidence: of what is outside the catalog. */
export const noGround: Ground = { fresh: [], measuredAtMs: null }

/**
 * The probes that an answer stands on, as it names them: where there are too many, the weakest first.
 * @param first those of services that the answer names, which come before all others then
 */
export const namedProbes = (
  probes: readonly GradedProbe[],
  first: readonly GradedProbe[] = [],
): { probes: GradedProbe[]; probeCount: number } => {
  if (probes.length <= probesNamedMax) return { probes: [...probes], probeCount: probes.length }
  const isFirst = new Set(first.map(({ url }) => url))
  const others = probes.filter(({ url }) => !isFirst.has(url))
  const ordered = [first, others].flatMap((part) =>
    probeGrades.flatMap((grade) => part.filter((probe) => probe.grade === grade)),
  )
  return { probes: ordered.slice(0, probesNamedMax), probeCount: probes.length }
}
