import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Reading } from '@probe-mesh/contracts/reading/reading'

/** Readings that make a message worth its costs. */
const readingsWanted = 10
/** Checks whose last readings are remembered; beyond this all are forgotten, and their next readings are news again. */
const checksMax = 200_000

/**
 * How long an open block of a partition waits for more readings, ms: as long as `readingsWanted` take to come, within
 * the limits (S-2804).
 * @param last how many readings the last block had, and the time between its end and the end before; null: unknown
 */
export const blockAgeMs = (last: { readings: number; overMs: number } | null): number => {
  if (last === null) return limits.readingsMessageAgeMs
  const wantedMs = (readingsWanted * last.overMs) / last.readings
  return Math.min(limits.readingsMessageAgeMsMax, Math.max(limits.readingsMessageAgeMs, wantedMs))
}

/** As many `up` in a row end a region's failure (S-909); the next ones change nothing. */
const upsToRecover = 2

/**
 * Whether a reading may change a status, so that its block waits no longer than the shortest age: any but the next `up`
 * of a check that was up for long enough.
 */
export const createNews = (): { isNews(reading: Pick<Reading, 'checkId' | 'kind' | 'verdict'>): boolean } => {
  const ups = new Map<string, number>()
  return {
    isNews: ({ checkId, kind, verdict }) => {
      if (kind !== 'scheduled') return true
      if (verdict !== 'up') {
        ups.delete(checkId)
        return true
      }
      const before = ups.get(checkId) ?? 0
      if (before >= upsToRecover) return false
      if (ups.size >= checksMax) ups.clear()
      ups.set(checkId, before + 1)
      return true
    },
  }
}
