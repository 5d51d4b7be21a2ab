import { isTimeZone } from '@probe-mesh/runtime/zoned-time'

/** Values of one part: `start`, `start/repeat`, `start..stop` or `start..stop/repeat`. Seconds are in microseconds. */
export type Values = { start: number; stop: number | null; repeat: number }

/** An expression as systemd.time(7) reads it. null: any value. */
export type OnCalendar = {
  /** 1 is Monday. */
  weekdays: ReadonlySet<number> | null
  year: readonly Values[] | null
  month: readonly Values[] | null
  day: readonly Values[] | null
  /** Whether days count from the end of the month: 1 is its last day. */
  fromEnd: boolean
  hour: readonly Values[] | null
  minute: readonly Values[] | null
  second: readonly Values[]
  /** null: the expression names none. */
  timeZone: string | null
}

type Parsed = { ok: true; calendar: OnCalendar } | { ok: false; problem: string }

const secondUs = 1_000_000
export const yearMax = 2199
/** Values of one list. */
const valuesMax = 100

const shorthands = new Map(
  Object.entries({
    minutely: '*-*-* *:*:00',
    hourly: '*-*-* *:00:00',
    daily: '*-*-* 00:00:00',
    weekly: 'Mon *-*-* 00:00:00',
    monthly: '*-*-01 00:00:00',
    quarterly: '*-01,04,07,10-01 00:00:00',
    semiannually: '*-01,07-01 00:00:00',
    'semi-annually': '*-01,07-01 00:00:00',
    biannually: '*-01,07-01 00:00:00',
    'bi-annually': '*-01,07-01 00:00:00',
    yearly: '*-01-01 00:00:00',
    annually: '*-01-01 00:00:00',
  }),
)

const dayNames = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** Why an expression cannot be read, in words that follow its name. */
class Unreadable extends Error {}

/** Reads an `OnCalendar=` expression of a systemd timer, with its shorthands and a time zone at its end. */
export const parseOnCalendar = (expression: string): Parsed => {
  try {
    return { ok: true, calendar: readCalendar(expression) }
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, problem: error.message }
    throw error
  }
}

const readCalendar = (expression: string): OnCalendar => {
  if (expression === '') throw new Unreadable('must not be empty')
  const { text, timeZone } = withoutZone(expression)
  const { weekdays, rest } = readWeekdays(shorthands.get(text.toLowerCase()) ?? text)
  if (rest.startsWith('@')) throw new Unreadable('is one instant, which is never due again')
  // a first part that ends with a colon, or is the only one, is a time
  const isDate = rest !== '' && !/^[^-~: ]*(:|$)/.test(rest)
  const end = isDate ? (rest.indexOf(' ') + 1 || rest.length + 1) - 1 : 0
  const [dateText, timeText] = [rest.slice(0, end), rest.slice(end).replace(/^ +/, '')]
  const calendar = { weekdays, ...readDate(dateText), ...readTime(timeText), timeZone }
  for (const [name, from, to] of ranges) checkRange(name, calendar, from, to)
  return calendar
}

const withoutZone = (expression: string): { text: string; timeZone: string | null } => {
  const [, text = '', zone = ''] = /^(.*\S) +([A-Za-z]\S*)$/.exec(expression) ?? []
  if (zone.toLowerCase() === 'utc') return { text, timeZone: 'UTC' }
  return zone !== '' && isTimeZone(zone) ? { text, timeZone: zone } : { text: expression, timeZone: null }
}

/** `Mon`, `Mon..Fri`, `Sat,Sun`: at the start, in any case, abbreviated or not. */
const readWeekdays = (text: string): { weekdays: ReadonlySet<number> | null; rest: string } => {
  const [head = '', gap = ''] = /^[A-Za-z][A-Za-z,.-]*( *)/.exec(text) ?? []
  if (head === '') return { weekdays: null, rest: text }
  const rest = text.slice(head.length)
  if (rest !== '' && gap === '')
    throw new Unreadable(`has no day of the week or shorthand "${text.slice(0, 20)}"`)
  const weekdays = new Set<number>()
  // a comma after the last day is allowed
  for (const part of head.trim().replace(/,$/, '').split(',')) {
    const [first, last = first] = part.split(/\.\.|-/, 2).map(weekdayOf)
    if (part.split(/\.\.|-/).length > 2 || first === undefined || last === undefined || first > last)
      throw new Unreadable(`has no days of the week "${part.slice(0, 20)}"; use Mon, Mon..Fri or Sat,Sun`)
    for (let day = first; day <= last; day++) weekdays.add(day)
  }
  return { weekdays: weekdays.size === 7 ? null : weekdays, rest }
}

const weekdayOf = (name: string): number => {
  const lower = name.toLowerCase()
  const index = dayNames.findIndex((each) => each === lower || each.slice(0, 3) === lower)
  if (index === -1) throw new Unreadable(`has no day of the week or shorthand "${name.slice(0, 20)}"`)
  return index + 1
}

const anyDate = { year: null, month: null, day: null, fromEnd: false }

/** `year-month-day`, `month-day`, and `~` before a day that counts from the end of the month. */
const readDate = (text: string): Pick<OnCalendar, 'year' | 'month' | 'day' | 'fromEnd'> => {
  if (text === '') return anyDate
  const parts = text.split(/[-~]/)
  const marks = text.replaceAll(/[^-~]/g, '')
  if (parts.length > 3 || marks.slice(0, -1).includes('~'))
    throw new Unreadable(
      `has no date "${text.slice(0, 30)}"; use year-month-day, or year-month~day from its end`,
    )
  const [day = null, month = null, year = null] = parts.map((part) => readValues(part, 'whole')).toReversed()
  const fromEnd = marks.endsWith('~')
  return { year: year === null ? null : year.map(wholeYear), month, day, fromEnd }
}

/** Two digits are a year from 1970 to 2069. */
const wholeYear = ({ start, stop, repeat }: Values): Values => {
  const whole = (year: number): number => (year < 70 ? year + 2000 : year < 100 ? year + 1900 : year)
  return { start: whole(start), stop: stop === null ? null : whole(stop), repeat }
}

const midnight = [{ start: 0, stop: null, repeat: 0 }]

/** `hour:minute` or `hour:minute:second`; none is midnight. */
const readTime = (text: string): Pick<OnCalendar, 'hour' | 'minute' | 'second'> => {
  if (text === '') return { hour: midnight, minute: midnight, second: midnight }
  const parts = text.split(':')
  const [hour = '', minute, second] = parts
  if (minute === undefined || parts.length > 3)
    throw new Unreadable(`has no time "${text.slice(0, 30)}"; use hour:minute or hour:minute:second`)
  return {
    hour: readValues(hour, 'whole'),
    minute: readValues(minute, 'whole'),
    second:
      second === undefined
        ? midnight
        : (readValues(second, 'fraction') ?? [{ start: 0, stop: null, repeat: secondUs }]),
  }
}

/** null for `*`. */
const readValues = (text: string, kind: 'whole' | 'fraction'): Values[] | null => {
  if (text === '*') return null
  const number = kind === 'whole' ? String.raw`\d{1,9}` : String.raw`\d{1,4}(?:\.\d{1,20})?`
  // bounded: an expression has at most 200 characters
  const value = new RegExp(String.raw`^(${number})(?:\.\.(${number}))?(?:/(${number}))?$`)
  const parts = text.split(',')
  if (parts.length > valuesMax) throw new Unreadable(`has more than ${valuesMax} values in a list`)
  return parts.map((part) => {
    const [whole, start = '', stop, repeat] = value.exec(part) ?? []
    if (whole === undefined)
      throw new Unreadable(`has a part "${part.slice(0, 20)}"; use *, 5, 1..5, 0/15 or a list of these`)
    const unit = kind === 'whole' ? 1 : secondUs
    const of = (each: string): number => Math.round(Number(each) * unit)
    const every = repeat === undefined ? (stop === undefined ? 0 : unit) : of(repeat)
    if (repeat !== undefined && every === 0)
      throw new Unreadable(`has a repetition of 0 in "${part.slice(0, 20)}"`)
    return once({ start: of(start), stop: stop === undefined ? null : of(stop), repeat: every })
  })
}

/** A range ends with its last repetition; one in which nothing is repeated is its start. */
const once = ({ start, stop, repeat }: Values): Values => {
  if (stop === null || stop < start) return { start, stop, repeat }
  return start + repeat > stop
    ? { start, stop: null, repeat: 0 }
    : { start, stop: stop - ((stop - start) % repeat), repeat }
}

const ranges = [
  ['year', 1970, yearMax],
  ['month', 1, 12],
  ['day', 1, 31],
  ['hour', 0, 23],
  ['minute', 0, 59],
  ['second', 0, 60 * secondUs - 1],
] as const

/** systemd refuses a repetition that does not occur once. */
const checkRange = (
  name: (typeof ranges)[number][0],
  calendar: OnCalendar,
  from: number,
  last: number,
): void => {
  const isFromEnd = name === 'day' && calendar.fromEnd
  // not every month has more days
  const to = isFromEnd ? last - 3 : last
  const isIn = (value: number): boolean => value >= from && value <= to
  for (const { start, stop, repeat } of calendar[name] ?? []) {
    const isOnce =
      stop === null
        ? isFromEnd
          ? start - repeat >= from
          : start + repeat <= to
        : isIn(stop) && start + repeat <= stop
    if (isIn(start) && repeat <= to - from && isOnce) continue
    const range = name === 'second' ? '0 to below 60' : `${from} to ${to}`
    throw new Unreadable(`has a ${name} that never comes: ${range} are possible, ranges go up`)
  }
}
