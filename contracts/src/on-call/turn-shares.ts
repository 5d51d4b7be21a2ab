import type { Layer } from './schedule.ts'

/** What the turns of a layer lead to in the long run, and its owner should know. */
export type TurnNote =
  /** Members without any turn, though others have some: turns and days on call repeat in step. */
  | { kind: 'never'; layer: number; userIds: string[]; cycleDays: number }
  /** Later layers are on call whenever this one would be. */
  | { kind: 'covered'; layer: number }
  /** Some members are on call for longer than others; in `cycleDays`, after which all repeats. */
  | { kind: 'unequal'; layer: number; hours: { userId: string; hours: number }[]; cycleDays: number }

const [dayMinutes, weekMinutes] = [1_440, 10_080]
const dayMs = 86_400_000

/** Days are numbers, so that a day is added in any zone. */
export const dayNumberOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / dayMs
/** 1 is Monday: 1970-01-01 was a Thursday. */
const weekdayOf = (day: number): number => ((((day + 3) % 7) + 7) % 7) + 1

/** How many days of `weekdays` there are from the first day of a layer to one before `day`. */
const onCallDaysBefore = ({ weekdays, startDate }: Layer, day: number): number => {
  const first = dayNumberOf(startDate)
  const weeks = Math.floor((day - first) / 7)
  let count = weeks * weekdays.length
  for (let each = first + weeks * 7; each < day; each++) if (weekdays.includes(weekdayOf(each))) count++
  return count
}

/** The index of the member whose turn a day is; null: before the first day, or a free day. */
export const positionOn = (layer: Layer, day: number): number | null => {
  const { startDate, weekdays, unit, length, userIds } = layer
  const elapsed = day - dayNumberOf(startDate)
  if (elapsed < 0 || !weekdays.includes(weekdayOf(day))) return null
  const counted = unit === 'on_call_days' ? onCallDaysBefore(layer, day) : elapsed
  return Math.floor(counted / (length * (unit === 'weeks' ? 7 : 1))) % userIds.length
}

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** How long the shift of a day lasts by the clock, minutes. */
const shiftMinutes = ({ handOver, until }: Layer): number =>
  typeof until !== 'string'
    ? dayMinutes
    : (((minuteOf(until) - minuteOf(handOver)) % dayMinutes) + dayMinutes) % dayMinutes

/** The minutes of the week of the shift of a weekday. */
const minutesOf = (layer: Layer, weekday: number): number[] =>
  Array.from(
    { length: shiftMinutes(layer) },
    (_, minute) => ((weekday - 1) * dayMinutes + minuteOf(layer.handOver) + minute) % weekMinutes,
  )

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b))

/**
 * Layers in which members never have a turn, or less time than others, in the long run and without overrides. A later
 * layer covers an earlier one once it has begun. Pure; of up to five layers in some milliseconds (S-1970).
 * @param nowMs Unix ms: layers that begin later cover nothing yet
 */
export const turnNotes = (layers: readonly Layer[], nowMs: number): TurnNote[] => {
  const today = Math.floor(nowMs / dayMs)
  return layers.flatMap((layer, index): TurnNote[] => {
    const covered = new Uint8Array(weekMinutes)
    const from = Math.max(today, dayNumberOf(layer.startDate))
    for (const later of layers.slice(index + 1)) {
      if (dayNumberOf(later.startDate) > from) continue
      for (const weekday of later.weekdays)
        for (const minute of minutesOf(later, weekday)) covered[minute] = 1
    }
    const own = new Map(
      layer.weekdays.map((weekday) => [
        weekday,
        minutesOf(layer, weekday).filter((minute) => covered[minute] === 0).length,
      ]),
    )
    if ([...own.values()].every((minutes) => minutes === 0)) return [{ kind: 'covered', layer: index }]
    return unequalTurns(layer, own).map((note) => ({ ...note, layer: index }))
  })
}

/** @param minutes by weekday, of those on which no later layer is on call */
const unequalTurns = (layer: Layer, minutes: ReadonlyMap<number, number>) => {
  const { userIds, length, unit, weekdays, startDate } = layer
  // a turn of whole weeks is worth the same, whoever has it
  if (unit === 'weeks') return []
  const round = userIds.length * length
  const perWeek = unit === 'days' ? 7 : weekdays.length
  const cycleDays = (round / gcd(round, perWeek)) * 7
  const first = dayNumberOf(startDate)
  const found = userIds.map(() => 0)
  for (let day = first; day < first + cycleDays; day++) {
    const position = positionOn(layer, day)
    if (position !== null) found[position] = (found[position] ?? 0) + (minutes.get(weekdayOf(day)) ?? 0)
  }
  if (found.every((each) => each === found[0])) return []
  const sums = new Map<string, number>()
  for (const [position, userId] of userIds.entries())
    sums.set(userId, (sums.get(userId) ?? 0) + (found[position] ?? 0))
  const never = [...sums].flatMap(([userId, sum]) => (sum === 0 ? [userId] : []))
  if (never.length > 0) return [{ kind: 'never' as const, userIds: never, cycleDays }]
  const hours = [...sums].map(([userId, sum]) => ({ userId, hours: Math.round(sum / 6) / 10 }))
  return [{ kind: 'unequal' as const, hours, cycleDays }]
}
