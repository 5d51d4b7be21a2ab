/** `2026-11-22T01:30` of a `datetime-local` field, with seconds where the browser has them. */
const typedShape = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/

/** The zone of a reader of whom none is known. */
export const utc = 'UTC'

/** The zones that a form offers. */
export const zones: readonly string[] = Intl.supportedValuesOf('timeZone').filter((zone) => zone !== utc)

/** A zone that this program knows, such as `Europe/Berlin`; else UTC. Pure. */
export const zoneOr = (text: string | null | undefined): string => {
  if (text === undefined || text === null || text === utc || !/^[\w+/-]{1,64}$/.test(text)) return utc
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    return utc
  }
}

/**
 * The instant that a wall clock of a zone means; what is no time is returned as it is, for the API to refuse. An hour
 * that comes twice means its first time, and one that is skipped means the time that the clock then shows. Pure.
 */
export const instantOf = (typed: string, zone: string): string => {
  if (!typedShape.test(typed)) return typed
  const wallMs = Date.parse(`${typed}Z`)
  if (Number.isNaN(wallMs)) return typed
  // offsets differ by a day at most, so those of the day before and after are all that there can be
  const candidates = [wallMs - dayMs, wallMs + dayMs].map((ms) => wallMs - offsetMs(ms, zone))
  const meant = candidates.filter((ms) => ms + offsetMs(ms, zone) === wallMs)
  return new Date(meant.length === 0 ? Math.max(...candidates) : Math.min(...meant)).toISOString()
}

const dayMs = 86_400_000

/** How far the wall clock of a zone is ahead of UTC at an instant. */
const offsetMs = (ms: number, zone: string): number => {
  const wholeMs = Math.floor(ms / 1000) * 1000
  return Date.parse(`${wallText(wholeMs, zone)}Z`) - wholeMs
}

/** `2026-11-22T01:30:05` as clocks of the zone show it. */
const wallText = (ms: number, zone: string): string =>
  new Intl.DateTimeFormat('sv', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
    .format(ms)
    .replace(' ', 'T')

/** An instant as a field of that zone takes it, cut to the minute. */
export const typedOfInstant = (ms: number, zone: string = utc): string => wallText(ms, zone).slice(0, 16)

/** `22 Nov 2026, 01:30` in a zone. */
export const zonedText = (ms: number, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone }).format(ms)
