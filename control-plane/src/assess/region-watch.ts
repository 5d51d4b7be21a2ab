import type { Reading } from '@probe-mesh/contracts/reading'
import type { Region } from '@probe-mesh/contracts/regions'
import type { AssessedCheck } from '../postgres/states.ts'
import { holdReading } from '../quarantine/held-readings.ts'
import type { HeldReadings } from '../quarantine/held-readings.ts'
import { surveyRegions } from '../quarantine/survey.ts'
import type { Survey, WatchedHost } from '../quarantine/survey.ts'
import { staleAfterMs } from '../status/freshness.ts'
import { createHostSample } from './host-sample.ts'

/** Hosts that are watched, and checks of each: what a survey costs does not grow beyond. */
const hostsMax = 5_000
const checksOfHostMax = 4

export type RegionWatch = {
  /** Takes a reading as it was measured, whatever it counts for. */
  take(reading: Reading): void
  /** What the hosts say of each region now; regions that none can be compared in are absent. */
  survey(): Map<Region, Survey>
  /** Hosts that are watched. */
  size(): number
}

/**
 * Remembers what each region said last of a sample of the hosts that are judged here, so that a region's
 * own failure shows. The partitions of the other control planes are theirs to watch: checks come
 * to partitions by hash, so each watches a sample of them all.
 */
export const createRegionWatch = (capabilities: {
  /** A check as it stands; undefined when it is not judged here, or not any more. */
  find: (checkId: string) => AssessedCheck | undefined
  now: () => number
}): RegionWatch => {
  const { find, now } = capabilities
  const hosts = createHostSample<Map<string, HeldReadings>>(hostsMax)

  /** What is held of a check, unless it ended, changed its host or is long silent. */
  const watchedCheck = (
    host: string,
    checkId: string,
    held: HeldReadings,
    nowMs: number,
  ): WatchedHost['checks'][number] | null => {
    const check = find(checkId)
    if (check === undefined || check.host !== host) return null
    const { intervalSeconds } = check
    const freshFromMs = nowMs - staleAfterMs(intervalSeconds)
    for (const { measuredAt } of held.values()) {
      if (measuredAt >= freshFromMs) return { intervalSeconds, held }
    }
    return null
  }

  const watchedHost = (
    host: string,
    heldOf: Map<string, HeldReadings>,
    nowMs: number,
  ): WatchedHost => {
    const checks: WatchedHost['checks'][number][] = []
    for (const [checkId, held] of heldOf) {
      const check = watchedCheck(host, checkId, held, nowMs)
      if (check === null) heldOf.delete(checkId)
      else checks.push(check)
    }
    if (heldOf.size === 0) hosts.delete(host)
    return { host, checks }
  }

  return {
    take: (reading) => {
      const check = find(reading.checkId)
      // what one region measures alone cannot be compared
      if (check === undefined || check.host === null || check.regions.length < 2) return
      if (!check.regions.includes(reading.region)) return
      const heldOf = hosts.take(check.host, () => new Map())
      if (heldOf === null) return
      const held = heldOf.get(check.checkId)
      if (held === undefined && heldOf.size >= checksOfHostMax) return
      heldOf.set(check.checkId, holdReading(held ?? new Map(), reading, now()))
    },
    survey: () => {
      const nowMs = now()
      const watched = hosts.entries().map(([host, heldOf]) => watchedHost(host, heldOf, nowMs))
      return surveyRegions(watched, nowMs)
    },
    size: hosts.size,
  }
}
