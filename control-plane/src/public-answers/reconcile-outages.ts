import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Outage } from './past-outages.ts'
import type { ObservedService } from './shared-factors.ts'

/** The basis of the current status, for comparison with past outages. */
export type CurrentHealth = Pick<ObservedService, 'failures' | 'upIn'> & {
  /** The newest good reading, Unix milliseconds; null without one. */
  goodAtMs: number | null
  /** The newest confirmed failure, current or past; null without one. */
  failedAtMs: number | null
}

/**
 * Makes past outages agree with the current status. Stored readings lag behind those in memory, and an outage
 * ends after two good readings while the status changes with the first. Therefore a failing service gets an
 * ongoing outage, and a service that is up everywhere has none (S-1220).
 * @param outages newest first
 */
export const reconcileOutages = (
  outages: readonly Outage[],
  { failures, upIn, goodAtMs }: CurrentHealth,
): Outage[] => {
  if (failures.length > 0) return withOngoing(outages, failures)
  if (upIn.length === 0) return [...outages]
  return outages.map((outage) => {
    if (outage.endMs !== null || !outage.regions.every((region) => upIn.includes(region))) return outage
    const endMs = outage.recoveringMs ?? goodAtMs ?? outage.startMs
    return { ...outage, endMs: Math.max(outage.startMs, endMs), recoveringMs: null }
  })
}

const withOngoing = (outages: readonly Outage[], failures: ObservedService['failures']): Outage[] => {
  const startMs = Math.min(...failures.map(({ sinceMs }) => sinceMs))
  const failing = failures.map(({ region }) => region)
  const [last, ...before] = outages
  // the stored outage is this one: ongoing, or ended only because readings are missing
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
