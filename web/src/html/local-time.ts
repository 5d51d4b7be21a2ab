import { offsetMs, wallClock } from '@probe-mesh/runtime/zoned-time'

/** `2026-11-22T01:30` of a `datetime-local` field; some browsers add seconds. */
const typedShape = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/

/** The zone of a reader whose zone is unknown. */
export const utc = 'UTC'

/** The choices of zones in a form. */
export const zones: readonly string[] = Intl.supportedValuesOf('timeZone').filter((zone) => zone !== utc)

/** A zone that this program knows, such as `Europe/Berlin`; else UTC. */
export const zoneOr = (text: string | null | undefined): string => {
  if (text === undefined || text === null || text === utc || !/^[\w+/-]{1,64}$/.test(text)) return utc
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    return utc
  }
}

/**
 * The instant of a wall-clock time in a zone. Invalid text is returned unchanged, for the API to refuse. A
 * repeated hour means its first occurrence; a skipped hour means the time that the clock then shows.
 */
export const instantOf = (typed: string, zone: string): string => {
  if (!typedShape.test(typed)) return typed
  const wallMs = Date.parse(`${typed}Z`)
  if (Number.isNaN(wallMs)) return typed
  // offsets change by at most a day, so the day before and after give all candidates
  const candidates = [wallMs - dayMs, wallMs + dayMs].map((ms) => wallMs - offsetMs(ms, zone))
  const meant = candidates.filter((ms) => ms + offsetMs(ms, zone) === wallMs)
  return new Date(meant.length === 0 ? Math.max(...candidates) : Math.min(...meant)).toISOString()
}

const dayMs = 86_400_000

/** An instant as a `datetime-local` value in a zone, truncated to the minute. */
export const typedOfInstant = (ms: number, zone: string = utc): string => wallClock(ms, zone).slice(0, 16)

/** `22 Nov 2026, 01:30` in a zone. */
export const zonedText = (ms: number, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone }).format(ms)
