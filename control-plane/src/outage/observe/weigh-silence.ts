import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { HeldRegion, ProbeReading } from '../region-reading.ts'
import { roundMsOf, staleAfterMs, weighMsOf } from '../../status/freshness.ts'

/**
 * The regions of a service, with until when the silence of some of them is weighed: that of no more regions
 * than find the service well may be their own network's. It is weighed for a moment wherever it begins, and
 * for as long as it lasts where it began with that of unrelated services (S-1010).
 * @param burstSinceMs since when several unrelated services are silent for a region; null where they are not
 */
export const weighSilence = (
  regions: readonly HeldRegion[],
  burstSinceMs: (region: Region) => number | null,
  intervalSeconds: number,
  nowMs: number,
): readonly HeldRegion[] => {
  const freshFromMs = nowMs - staleAfterMs(intervalSeconds)
  const isFresh = ({ measuredAt }: ProbeReading): boolean => measuredAt >= freshFromMs
  let failing = 0
  let well = 0
  let silent = 0
  for (const { readings, quarantined } of regions) {
    if (quarantined) continue
    if (silentSinceMs(readings) !== null) silent++
    if (readings.some((reading) => reading.verdict === 'down' && isFresh(reading))) failing++
    else if (readings.some((reading) => reading.verdict === 'up' && isFresh(reading))) well++
  }
  if (silent === 0 || failing > well) return regions
  return regions.map((region) => {
    const sinceMs = region.quarantined ? null : silentSinceMs(region.readings)
    if (sinceMs === null) return region
    const burstMs = burstSinceMs(region.region)
    const isOfBurst = burstMs !== null && sinceMs >= burstMs - roundMsOf(intervalSeconds)
    const untilMs = isOfBurst ? Number.POSITIVE_INFINITY : sinceMs + weighMsOf(intervalSeconds)
    return untilMs > nowMs ? { ...region, weighedUntilMs: untilMs } : region
  })
}

/** Since when a region gets no answer; null where it does, or is told of a failure by an answer. */
const silentSinceMs = (readings: readonly ProbeReading[]): number | null => {
  let sinceMs: number | null = null
  for (const { verdict, unanswered = false, failingSinceMs, measuredAt } of readings) {
    if (verdict !== 'down') continue
    if (!unanswered) return null
    sinceMs = Math.min(sinceMs ?? measuredAt, failingSinceMs ?? measuredAt)
  }
  return sinceMs
}
