import { localeOf } from './words-of.ts'

/** Numbers, times and durations as readers of a page write them. */
export type PublicFormats = {
  /** `99.982 %`, cut and never rounded up: what was down for a moment is not 100 %. @param share 0 to 1 */
  percent(share: number): string
  /** The two largest units: `2 hours, 5 minutes`. */
  duration(seconds: number): string
  /** Date and time in UTC, to the minute. */
  instant(ms: number): string
  /** A UTC day. @param date such as `2026-11-20` */
  day(date: string): string
  /** A UTC month. @param month such as `2026-11` */
  month(month: string): string
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** @param pageLocale the locale of the page, such as `de-AT` */
export const publicFormats = (pageLocale: string): PublicFormats => {
  const locale = localeOf(pageLocale)
  const instant = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })
  const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })
  const list = new Intl.ListFormat(locale, { type: 'unit', style: 'short' })
  const digitsOf = (digits: number): Intl.NumberFormat =>
    new Intl.NumberFormat(locale, {
      style: 'percent',
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    })
  const unitOf = (unit: string): Intl.NumberFormat =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })
  return {
    percent: (share) => {
      if (share === 1) return digitsOf(0).format(1)
      const digits = share < 0.9 ? 1 : 3
      const scale = 10 ** (digits + 2)
      // 0.29 * 100 is a little less than 29
      const cut = Math.min(Math.floor(share * scale + 1e-6), scale - 1)
      return digitsOf(digits).format(cut / scale)
    },
    duration: (seconds) => {
      let rest = Math.max(0, Math.round(seconds))
      const parts: string[] = []
      for (const [unit, length] of units) {
        const count = Math.floor(rest / length)
        rest -= count * length
        if (count > 0) parts.push(unitOf(unit).format(count))
        else if (parts.length > 0) break
      }
      return parts.length === 0 ? unitOf('second').format(0) : list.format(parts.slice(0, 2))
    },
    instant: (ms) => `${instant.format(ms)} UTC`,
    day: (date) => day.format(Date.parse(`${date}T00:00:00Z`)),
    month: (text) => month.format(Date.parse(`${text}-01T00:00:00Z`)),
  }
}
