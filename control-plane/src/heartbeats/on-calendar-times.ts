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
    const [first, last] = monthDays === undefined ? [each.start, each.stop] : ofEnd(each, monthDays)
    const steps = Math.ceil((from - first) / repeat)
    const value = first >= from ? first : repeat > 0 ? first + steps * repeat : null
    if (value === null || (last !== null && value > last)) continue
    if (least === null || value < least) least = value
  }
  return least
}

const ofEnd = ({ start, stop }: Values, monthDays: number): [number, number | null] => {
  const day = (count: number): number => monthDays + 1 - count
  return stop === null ? [day(start), null] : [day(stop), day(start)]
}

/** The first values of the parts of a time. */
const firsts = [0, 1, 1, 0, 0, 0] as const

/** The first time from `from` on that all parts name; null: none until the year 2199. */
const nextWall = (calendar: OnCalendar, from: Wall): Wall | null => {
  const wall: Wall = [...from]
  const restart = (part: number): void => {
    for (const [index, first] of firsts.entries()) if (index >= part) wall[index] = first
  }
  for (let step = 0; step < stepsMax; step++) {
    const missed = firsts.findIndex((_, part) => {
      const found = matchPart(calendar, wall, part)
      if (found === null) return true
      if (found > (wall[part] ?? 0)) {
        wall[part] = found
        restart(part + 1)
      }
      return false
    })
    if (missed === -1) return wall
    if (missed === 0) return null
    wall[missed - 1] = (wall[missed - 1] ?? 0) + 1
    restart(missed)
  }
  return null
}

/** The next value of one part of a time, its own included, while those before it stay; null: none. */
const matchPart = (calendar: OnCalendar, wall: Wall, part: number): number | null => {
  const [year, month, day] = wall
  const monthDays = new Date(Date.UTC(year, month, 0)).getUTCDate()
  const { fromEnd, weekdays, hour, minute, second } = calendar
  const parts = [
    [calendar.year, yearMax],
    [calendar.month, 12],
    [calendar.day, monthDays],
    [hour, 23],
    [minute, 59],
    [second, minuteUs - 1],
  ] as const
  const [values, last] = parts[part] ?? [null, 0]
  const isDay = part === 2
  const found = match(values, wall[part] ?? 0, isDay && fromEnd ? monthDays : undefined)
  if (found === null || found > last) return null
  // an hour of a day that is not on one of the weekdays is on none
  const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay() || 7
  return part === 3 && weekdays?.has(weekday) === false ? null : found
}
