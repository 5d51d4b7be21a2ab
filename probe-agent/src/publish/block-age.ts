import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Reading } from '@probe-mesh/contracts/reading/reading'

/** Readings that make a message worth its costs. */
const readingsWanted = 10
/** The longest age of a block that only says again that nothing could be measured, ms. */
const repeatsAgeMsMax = 5_000
/** Checks whose last readings are remembered; beyond this all are forgotten, and their next readings are news again. */
const checksMax = 200_000

/**
 * What a reading is to those who wait for it: it may change a status, it is one more `up`, or it repeats that nothing
 * could be measured.
 */
export type Worth = 'news' | 'up' | 'repeat'

/**
 * How long an open block of a partition waits for more readings, ms: as long as `readingsWanted` take to come, within
 * the limits (S-2804).
 * @param last how many readings the last block had, and the time between its end and the end before; null: unknown
 */
export const blockAgeMs = (last: { readings: number; overMs: number } | null, worth: Worth): number => {
  if (last === null || worth === 'news') return limits.readingsMessageAgeMs
  const wantedMs = (readingsWanted * last.overMs) / last.readings
  const maxMs = worth === 'repeat' ? repeatsAgeMsMax : limits.readingsMessageAgeMsMax
  return Math.min(maxMs, Math.max(limits.readingsMessageAgeMs, wantedMs))
}

/** As many `up` in a row end a region's failure (S-909); the next ones change nothing. */
const upsToRecover = 2

/**
 * News is any reading but the next `up` of a check that was up for long enough, and the next `unmeasured` of one cause.
 */
export const createNews = (): {
  worthOf(reading: Pick<Reading, 'checkId' | 'kind' | 'verdict' | 'cause'>): Worth
} => {
  /** How often in a row a check was up, or why nothing was measured last. */
  const before = new Map<string, number | string>()
  const note = (checkId: string, seen: number | string): void => {
    if (before.size >= checksMax) before.clear()
    before.set(checkId, seen)
  }
  return {
    worthOf: ({ checkId, kind, verdict, cause }) => {
      if (kind !== 'scheduled') return 'news'
      const seen = before.get(checkId)
      if (verdict === 'unmeasured') {
        if (seen === cause) return 'repeat'
        note(checkId, cause)
        return 'news'
      }
      if (verdict !== 'up') {
        before.delete(checkId)
        return 'news'
      }
      const ups = typeof seen === 'number' ? seen : 0
      if (ups >= upsToRecover) return 'up'
      note(checkId, ups + 1)
      return 'news'
    },
  }
}
