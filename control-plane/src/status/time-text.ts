/** Formats are costly to make; readers of the same zone share them. */
const made = new Map<string, (ms: number, nowMs: number) => string>()
const madeMax = 500

/**
 * An instant for a reader in a zone: `14:05 CET, 28 Nov`, with the year if it is not that of `nowMs`. A zone that
 * this runtime does not know is UTC.
 */
export const timeText = (ms: number, zone: string, nowMs: number): string => {
  const known = made.get(zone)
  if (known !== undefined) return known(ms, nowMs)
  if (made.size >= madeMax) made.clear()
  const format = formatOf(zone)
  made.set(zone, format)
  return format(ms, nowMs)
}

const formatOf = (zone: string): ((ms: number, nowMs: number) => string) => {
  try {
    return zonedFormat(zone)
  } catch {
    return zonedFormat('UTC')
  }
}

const zonedFormat = (timeZone: string): ((ms: number, nowMs: number) => string) => {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  })
  const names = localesWithNames.map(
    (locale) => new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' }),
  )
  const nameOf = (ms: number): string => {
    const found = names.map((each) => partOf(each, ms, 'timeZoneName'))
    const offset = found[0] ?? 'UTC'
    return found.find((name) => !/^(GMT|UTC)[+-]/.test(name)) ?? offset.replace('GMT', 'UTC')
  }
  return (ms, nowMs) => {
    const part = (type: Intl.DateTimeFormatPartTypes): string => partOf(format, ms, type)
    const year = part('year')
    const shownYear = year === partOf(format, nowMs, 'year') ? '' : ` ${year}`
    return `${part('hour')}:${part('minute')} ${nameOf(ms)}, ${part('day')} ${part('month')}${shownYear}`
  }
}

/** English locales name the zones of their own region, such as CET, EST, AEDT or IST; others are offsets. */
const localesWithNames = ['en-GB', 'en-US', 'en-AU', 'en-NZ', 'en-IN', 'en-ZA'] as const

const partOf = (format: Intl.DateTimeFormat, ms: number, type: Intl.DateTimeFormatPartTypes): string =>
  format.formatToParts(ms).find((part) => part.type === type)?.value ?? ''
