import { regionsReadMax, probesNamedMax, type Evidence } from '@probe-mesh/contracts/outage/answers'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { ReadOptions, RegionView } from './region-reading.ts'
import { probeGrades, type GradedProbe } from '@probe-mesh/contracts/outage/catalog-grade'

/** The readings behind an answer: the regions that count, and the time of the newest measurement. */
type Basis = {
  /** Regions with a fresh reading, even an inconclusive one. May contain duplicates. */
  fresh: readonly Region[]
  /** The newest measurement, fresh or not, Unix milliseconds; null without one. */
  measuredAtMs: number | null
}

/**
 * The regions read, the time and the freshness of an answer (S-1207, S-1208). Only regions with a fresh
 * reading count as read; older measurements make the answer `stale`.
 */
export const evidenceOf = (
  { fresh, measuredAtMs }: Basis,
  { nowMs, staleAfterMs, vantage }: ReadOptions,
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
 * The basis of an answer about the regions of one or more services. Quarantined regions do not count.
 * Inconclusive readings count only if no region has a conclusive one.
 */
export const basisOf = (views: readonly RegionView[]): Basis => {
  const fresh = views.filter((view) => view.fresh)
  const inconclusive = views.filter(isInconclusive)
  if (fresh.length === 0 && inconclusive.length > 0) {
    return {
      fresh: inconclusive.map(({ region }) => region),
      measuredAtMs: Math.max(...inconclusive.map(measuredAtOf)),
    }
  }
  const counted = fresh.length > 0 ? fresh : views.filter((view) => !view.quarantined)
  const times = counted.flatMap(({ reading }) => (reading === null ? [] : [reading.measuredAt]))
  return {
    fresh: fresh.map((view) => view.region),
    measuredAtMs: times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b)),
  }
}

/** Measured recently, but the reading does not show whether the service is up. */
const isInconclusive = ({
  quarantined,
  ownNetworkSuspected,
  checkingNetwork,
  inconclusive,
}: RegionView): boolean =>
  !quarantined &&
  (ownNetworkSuspected || checkingNetwork || (inconclusive !== null && inconclusive.why !== 'unmeasured'))

const measuredAtOf = ({ inconclusive, reading }: RegionView): number =>
  Math.max(inconclusive?.measuredAt ?? -Infinity, reading?.measuredAt ?? -Infinity)

/** The basis of an answer about a service outside the catalog. */
export const noBasis: Basis = { fresh: [], measuredAtMs: null }

/**
 * The probes that an answer lists. Above the limit the weakest come first.
 * @param first the probes of services that the answer names; above the limit they come before all others
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
