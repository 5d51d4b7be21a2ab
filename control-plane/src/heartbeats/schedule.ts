import { isTimeZone, timeZoneProblem } from '@probe-mesh/contracts/schema/time-zone'
import { HeartbeatSettings } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { fieldProblems, type FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { Cron } from 'croner'
import { parseOnCalendar } from './on-calendar.ts'
import { closeSeconds, nextOnCalendar } from './on-calendar-times.ts'

const zoneDefault = 'UTC'
/** The shortest time between two pings, as of a period, and the times in which it is looked for. */
const [gapSecondsMin, gapsLookedAt] = [10, 100]
/** No schedule that is saved today is due only before. */
const firstMs = Date.UTC(2026, 0)

/**
 * All problems of a heartbeat's settings, by field. Exactly one of `periodSeconds`, `cron` and `onCalendar` is
 * required; a time zone is an IANA name and needs a schedule that does not name one.
 */
export const heartbeatSettingsProblems = (settings: HeartbeatSettings): FieldProblem[] => {
  const parsed = HeartbeatSettings.safeParse(settings)
  if (!parsed.success) return fieldProblems(parsed.error)
  const { periodSeconds, cron, onCalendar, timeZone } = parsed.data
  if (periodSeconds === null && cron === null && onCalendar === null) {
    const message = 'a period, a cron schedule or an OnCalendar expression is required'
    return [{ path: 'periodSeconds', message }]
  }
  const problems: FieldProblem[] = []
  if (periodSeconds !== null && cron !== null) {
    problems.push({
      path: 'cron',
      message: 'use a period or a cron schedule, not both',
    })
  }
  if (onCalendar !== null && (periodSeconds !== null || cron !== null)) {
    problems.push({ path: 'onCalendar', message: 'use one of a period, a cron schedule and OnCalendar' })
  }
  if (timeZone !== null && cron === null && onCalendar === null) {
    problems.push({ path: 'timeZone', message: 'a time zone needs a schedule' })
  }
  const zoneIsValid = timeZone === null || isTimeZone(timeZone)
  if (!zoneIsValid) {
    problems.push({ path: 'timeZone', message: timeZoneProblem })
  }
  const zone = zoneIsValid ? (timeZone ?? zoneDefault) : zoneDefault
  const cronProblem = cron === null ? null : problemOfCron(cron, zone)
  if (cronProblem !== null) problems.push({ path: 'cron', message: cronProblem })
  if (onCalendar !== null) problems.push(...problemsOfOnCalendar(onCalendar, timeZone, zone))
  return problems
}

const problemsOfOnCalendar = (expression: string, timeZone: string | null, zone: string): FieldProblem[] => {
  const parsed = parseOnCalendar(expression)
  const at = (message: string): FieldProblem[] => [{ path: 'onCalendar', message }]
  if (!parsed.ok) return at(parsed.problem)
  const { calendar } = parsed
  if (timeZone !== null && calendar.timeZone !== null)
    return [{ path: 'timeZone', message: 'OnCalendar names a time zone: leave this one empty' }]
  const often = `is due more often than every ${gapSecondsMin} s`
  if (closeSeconds(calendar, gapSecondsMin) !== null) return at(often)
  const times = nextOnCalendar(calendar, zone, firstMs, gapsLookedAt)
  if (times.length === 0) return at('is never due')
  return times.some((ms, index) => ms - (times[index - 1] ?? -Infinity) < gapSecondsMin * 1_000)
    ? at(often)
    : []
}

const problemOfCron = (expression: string, timeZone: string): string | null => {
  const parsed = parseCron(expression, timeZone)
  if (!parsed.ok) return parsed.problem
  return parsed.cron.nextRun(new Date(0)) === null ? 'is never due' : null
}

/**
 * The next `count` expected pings after `afterMs`, Unix ms; fewer if the schedule ends. Also used to preview
 * a schedule around a clock change.
 * @throws Error for settings that `heartbeatSettingsProblems` refuses
 */
export const nextExpected = (settings: HeartbeatSettings, afterMs: number, count: number): number[] => {
  const { periodSeconds, cron, onCalendar, timeZone } = settings
  if (periodSeconds !== null) {
    return Array.from({ length: count }, (_, index) => afterMs + (index + 1) * periodSeconds * 1000)
  }
  // settings of an earlier version do not have the field
  if (typeof onCalendar === 'string') {
    const parsed = parseOnCalendar(onCalendar)
    if (!parsed.ok) throw new Error(`a stored OnCalendar expression ${parsed.problem}`)
    return nextOnCalendar(parsed.calendar, timeZone ?? zoneDefault, afterMs, count)
  }
  if (cron === null) throw new Error('a heartbeat without a period has a schedule')
  const parsed = parseCron(cron, timeZone ?? zoneDefault)
  if (!parsed.ok) throw new Error(`a stored cron schedule ${parsed.problem}`)
  return parsed.cron.nextRuns(count, new Date(afterMs)).map((date) => date.getTime())
}

const fieldNames = ['minute', 'hour', 'day of month', 'month', 'day of week'] as const

/** Values, names, lists, ranges and steps, and the common `L`, `W` and `#`. */
const fieldCharacters = /^[0-9A-Za-z*,/#-]+$/

/** The parsed expression, or why it cannot be used. */
type CronParse = { ok: true; cron: Cron } | { ok: false; problem: string }

/**
 * Parses a five-field cron expression like Vixie cron. A job at a fixed time in the gap of a clock change
 * runs at the first instant after it, and once if its time comes twice; one with `*` in minute or hour
 * follows the clock. Seconds, years, `@daily` and `?` are refused.
 * @param timeZone a valid IANA name
 */
const parseCron = (expression: string, timeZone: string): CronParse => {
  const fields = expression.trim().split(/\s+/)
  if (expression.trim().startsWith('@')) {
    return { ok: false, problem: 'must be five fields, not a nickname such as @daily' }
  }
  if (fields.length !== fieldNames.length) {
    const problem = `must have five fields (${fieldNames.join(', ')}), has ${fields.length}`
    return { ok: false, problem }
  }
  const odd = fields.findIndex((field) => !fieldCharacters.test(field))
  if (odd !== -1) {
    return { ok: false, problem: `has a character in its ${fieldNames[odd]} that is not allowed` }
  }
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  try {
    const cron = new Cron([stepsListed(minute), stepsListed(hour), day, month, weekday].join(' '), {
      timezone: timeZone,
      mode: '5-part',
      fixedTimeRule: 'no-wildcard',
      // both day fields restricted: one match is enough, unless one of them begins with a star
      domAndDow: day.startsWith('*') || weekday.startsWith('*'),
      paused: true,
    })
    return { ok: true, cron }
  } catch (error) {
    return { ok: false, problem: reasonOf(error) }
  }
}

/** `0-30/15` as `0,15,30`: a step in a range must not make the field follow the clock, as a star does. */
const stepsListed = (field: string): string =>
  field.replace(/(?<![\d-])(\d{1,2})-(\d{1,2})\/(\d{1,2})(?!\d)/g, (whole, from, to, step) => {
    const [first, last, every] = [Number(from), Number(to), Number(step)]
    if (every === 0 || first > last || last > 59) return whole
    const count = Math.floor((last - first) / every) + 1
    return Array.from({ length: count }, (_, index) => first + index * every).join(',')
  })

const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : 'is not valid'
  return message.replace(/^Cron(Pattern|Date)?:\s*/, '').slice(0, 200)
}
