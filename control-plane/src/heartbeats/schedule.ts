import { isTimeZone, timeZoneProblem } from '@probe-mesh/contracts/schema/time-zone'
import { HeartbeatSettings } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { fieldProblems, type FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { Cron } from 'croner'

const zoneDefault = 'UTC'

/**
 * All problems of a heartbeat's settings, by field. Exactly one of `periodSeconds` and `cron` is required; a
 * time zone is an IANA name and needs `cron`.
 */
export const heartbeatSettingsProblems = (settings: HeartbeatSettings): FieldProblem[] => {
  const parsed = HeartbeatSettings.safeParse(settings)
  if (!parsed.success) return fieldProblems(parsed.error)
  const { periodSeconds, cron, timeZone } = parsed.data
  if (periodSeconds === null && cron === null) {
    return [{ path: 'periodSeconds', message: 'a period or a cron schedule is required' }]
  }
  const problems: FieldProblem[] = []
  if (periodSeconds !== null && cron !== null) {
    problems.push({
      path: 'cron',
      message: 'use a period or a cron schedule, not both',
    })
  }
  if (timeZone !== null && cron === null) {
    problems.push({ path: 'timeZone', message: 'a time zone needs a cron schedule' })
  }
  const zoneIsValid = timeZone === null || isTimeZone(timeZone)
  if (!zoneIsValid) {
    problems.push({ path: 'timeZone', message: timeZoneProblem })
  }
  const cronProblem =
    cron === null ? null : problemOfCron(cron, zoneIsValid ? (timeZone ?? zoneDefault) : zoneDefault)
  return cronProblem === null ? problems : [...problems, { path: 'cron', message: cronProblem }]
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
  const { periodSeconds, cron, timeZone } = settings
  if (periodSeconds !== null) {
    return Array.from({ length: count }, (_, index) => afterMs + (index + 1) * periodSeconds * 1000)
  }
  if (cron === null) throw new Error('a heartbeat without a period has a cron schedule')
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
