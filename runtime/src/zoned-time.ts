const formatters = new Map<string, Intl.DateTimeFormat>()

/** Creating a formatter is slow. There are only a few hundred zones. */
const formatterOf = (zone: string): Intl.DateTimeFormat => {
  const known = formatters.get(zone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('sv', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  formatters.set(zone, made)
  return made
}

const dayMs = 86_400_000
const minuteMs = 60_000

/** Whether a program knows an IANA zone, such as `Europe/Berlin`. */
export const isTimeZone = (zone: string): boolean => {
  if (!/^[\w+/-]{1,64}$/.test(zone)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** What a clock in a zone shows: `2026-11-22T01:30:05`. @param zone a known one */
export const wallClock = (ms: number, zone: string): string => formatterOf(zone).format(ms).replace(' ', 'T')

/** The offset of a zone from UTC at an instant, ms. */
export const offsetMs = (ms: number, zone: string): number => {
  const wholeMs = Math.floor(ms / 1000) * 1000
  return Date.parse(`${wallClock(wholeMs, zone)}Z`) - wholeMs
}

/**
 * The first moment at which a clock in a zone shows a time or a later one: of a repeated hour the first, of a skipped
 * time the moment of the change.
 * @param wall a whole minute, such as `2026-11-22T01:30`
 */
export const firstInstantOf = (wall: string, zone: string): number => {
  const wallMs = Date.parse(`${wall}:00Z`)
  // offsets change by at most a day, so the day before and after give all candidates
  const candidates = [wallMs - dayMs, wallMs + dayMs].map((ms) => wallMs - offsetMs(ms, zone))
  const meant = candidates.filter((ms) => ms + offsetMs(ms, zone) === wallMs)
  if (meant.length > 0) return Math.min(...meant)
  let ms = Math.min(...candidates)
  while (ms < Math.max(...candidates) && ms + offsetMs(ms, zone) < wallMs) ms += minuteMs
  return ms
}
