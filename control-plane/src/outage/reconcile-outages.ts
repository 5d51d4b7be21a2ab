import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Outage } from './past-outages.ts'
import type { ObservedService } from './shared-factors.ts'

/** What the status beside past outages stands on. */
export type StandingNow = Pick<ObservedService, 'failures' | 'wellIn'> & {
  /** Unix milliseconds, of the newest good reading; null where there is none. */
  goodAtMs: number | null
  /** Of the newest failure that was asked again, whether it goes on or not; null where there is none. */
  failedAtMs: number | null
}

/**
 * Past outages as they go with the status that is told beside them. Stored readings come later than
 * those in memory, and an outage ends after two good readings where the status turns with the first:
 * a service that fails has an outage that goes on, and one that is well everywhere has none (S-1220).
 * @param outages newest first
 */
export const reconcileOutages = (
  outages: readonly Outage[],
  { failures, wellIn, goodAtMs }: StandingNow,
): Outage[] => {
  if (failures.length > 0) return withOngoing(outages, failures)
  if (wellIn.length === 0) return [...outages]
  return outages.map((outage) => {
    if (outage.endMs !== null || !outage.regions.every((region) => wellIn.includes(region))) return outage
    const endMs = outage.recoveringMs ?? goodAtMs ?? outage.startMs
    return { ...outage, endMs: Math.max(outage.startMs, endMs), recoveringMs: null }
  })
}

const withOngoing = (outages: readonly Outage[], failures: ObservedService['failures']): Outage[] => {
  const startMs = Math.min(...failures.map(({ sinceMs }) => sinceMs))
  const failing = failures.map(({ region }) => region)
  const [last, ...before] = outages
  // what is stored of this one ended for want of readings, or goes on
  if (last !== undefined && (last.endMs === null || last.endMs >= startMs)) {
    const regions = regionsOf([...last.regions, ...failing])
    return [{ ...last, endMs: null, recoveringMs: null, regions }, ...before]
  }
  const ongoing: Outage = {
    startMs,
    endMs: null,
    regions: regionsOf(failing),
    readings: failures.length,
    recoveringMs: null,
    unmeasuredMs: 0,
  }
  return [ongoing, ...outages]
}

const regionsOf = (regions: readonly Region[]): Region[] => [...new Set(regions)].toSorted()
