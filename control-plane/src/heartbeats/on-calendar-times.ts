import { firstInstantOf, offsetMs } from '@probe-mesh/runtime/zoned-time'
import { yearMax, type OnCalendar, type Values } from './on-calendar.ts'

/** A time of a clock; the second in microseconds. */
type Wall = [year: number, month: number, day: number, hour: number, minute: number, us: number]

const dayMs = 86_400_000
const minuteUs = 60_000_000
/** Bounds a search: a weekday of a date that comes once in 28 years takes about 400 steps. */
const stepsMax = 50_000

/**
 * The next `count` times of an expression after `afterMs`, Unix ms; fewer if there are no more. As in systemd a time
 * that the clock skips is left out, and one that it shows twice is due once, at first (S-612).
 * @param timeZone of an expression that names none
 */
export const nextOnCalendar = (
  calendar: OnCalendar,
  timeZone: string,
  afterMs: number,
  count: number,
): number[] => {
  const zone = calendar.timeZone ?? timeZone
  const found: number[] = []
  let wall = after(wallOf(afterMs + offsetMs(afterMs, zone)))
  for (let step = 0; step < stepsMax && found.length < count; step++) {
    const next = nextWall(calendar, wall)
    if (next === null) break
    const [year, month, day, hour, minute, us] = next
    const wallMs = Date.UTC(year, month - 1, day, hour, minute) + Math.ceil(us / 1_000)
    const atMs = instantOf(wallMs, zone)
    if (atMs === null) {
      wall = afterGap(wallMs, zone)
      continue
    }
    if (atMs > (found.at(-1) ?? afterMs)) found.push(atMs)
    wall = after(next)
  }
  return found
}

/** Times of the second part that are less than `secondsMin` apart, in one minute; null: there are none. */
export const closeSeconds = ({ second }: OnCalendar, secondsMin: number): number | null => {
  let last = match(second, 0)
  while (last !== null) {
    const next = match(second, last + 1)
    if (next === null || next >= minuteUs) return null
    if (next - last < secondsMin * 1_000_000) return (next - last) / 1_000_000
    last = next
  }
  return null
}

const wallOf = (wallMs: number): Wall => {
  const date = new Date(wallMs)
  const us = date.getUTCSeconds() * 1_000_000 + date.getUTCMilliseconds() * 1_000
  const hour = date.getUTCHours()
  return [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate(), hour, date.getUTCMinutes(), us]
}

const after = ([year, month, day, hour, minute, us]: Wall): Wall => [year, month, day, hour, minute, us + 1]

/** The first instant at which a clock shows a time; null: it skips it. */
const instantOf = (wallMs: number, zone: string): number | null => {
  // offsets change by at most a day, so the day before and after give all candidates
  const candidates = [wallMs - dayMs, wallMs + dayMs].map((ms) => wallMs - offsetMs(ms, zone))
  const meant = candidates.filter((ms) => ms + offsetMs(ms, zone) === wallMs)
  return meant.length === 0 ? null : Math.min(...meant)
}

/** What a clock shows when it has skipped a time. */
const afterGap = (wallMs: number, zone: string): Wall => {
  const endMs = firstInstantOf(new Date(wallMs).toISOString().slice(0, 16), zone)
  return wallOf(Math.max(endMs + offsetMs(endMs, zone), wallMs + 1))
}

/** The smallest value from `from` on; null: none. @param monthDays of days that count from the end of their month */
const match = (values: readonly Values[] | null, from: number, monthDays?: number): number | null => {
  if (values === null) return from
  let least: number | null = null
  for (const each of values) {
    const { repeat } = each
    const [first, last] = monthDays === undefined ? [each.start, each.stop] : fromEnd(each, monthDays)
    const steps = Math.ceil((from - first) / repeat)
    const value = first >= from ? first : repeat > 0 ? first + steps * repeat : null
    if (value === null || (last !== null && value > last)) continue
    if (least === null || value < least) least = value
  }
  return least
}

const fromEnd = ({ start, stop }: Values, monthDays: number): [number, number | null] => {
  const day = (count: number): number => monthDays + 1 - count
  return stop === null ? [day(start), null] : [day(stop), day(start)]
}

/** The first time from `from` on that all parts name; null: none until the year 2199. */
const nextWall = (calendar: OnCalendar, from: Wall): Wall | null => {
  let [year, month, day, hour, minute, us] = from
  for (let step = 0; step < stepsMax; step++) {
    const nextYear = match(calendar.year, year)
    if (nextYear === null || nextYear > yearMax) return null
    if (nextYear > year) [year, month, day, hour, minute, us] = [nextYear, 1, 1, 0, 0, 0]

    const nextMonth = match(calendar.month, month)
    if (nextMonth === null || nextMonth > 12) {
      ;[year, month, day, hour, minute, us] = [year + 1, 1, 1, 0, 0, 0]
      continue
    }
    if (nextMonth > month) [month, day, hour, minute, us] = [nextMonth, 1, 0, 0, 0]

    const monthDays = new Date(Date.UTC(year, month, 0)).getUTCDate()
    const nextDay = match(calendar.day, day, calendar.fromEnd ? monthDays : undefined)
    if (nextDay === null || nextDay > monthDays) {
      ;[month, day, hour, minute, us] = [month + 1, 1, 0, 0, 0]
      continue
    }
    if (nextDay > day) [day, hour, minute, us] = [nextDay, 0, 0, 0]
    const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay() || 7

    const nextHour = match(calendar.hour, hour)
    if (nextHour === null || nextHour > 23 || calendar.weekdays?.has(weekday) === false) {
      ;[day, hour, minute, us] = [day + 1, 0, 0, 0]
      continue
    }
    if (nextHour > hour) [hour, minute, us] = [nextHour, 0, 0]

    const nextMinute = match(calendar.minute, minute)
    if (nextMinute === null || nextMinute > 59) {
      ;[hour, minute, us] = [hour + 1, 0, 0]
      continue
    }
    if (nextMinute > minute) [minute, us] = [nextMinute, 0]

    const nextUs = match(calendar.second, us)
    if (nextUs === null || nextUs >= minuteUs) {
      ;[minute, us] = [minute + 1, 0]
      continue
    }
    return [year, month, day, hour, minute, nextUs]
  }
  return null
}
