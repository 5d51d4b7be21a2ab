import { Cron } from 'croner'

const fieldNames = ['minute', 'hour', 'day of month', 'month', 'day of week'] as const

/** Values, names, lists, ranges and steps, and the widespread `L`, `W` and `#`. */
const fieldCharacters = /^[0-9A-Za-z*,/#-]+$/

/** A schedule is of no use where its next time is never, or further away than anybody waits. */
export type CronParse = { ok: true; cron: Cron } | { ok: false; problem: string }

/**
 * Reads a five-field cron expression as Vixie cron does: a job at fixed times that falls into the
 * gap of a clock change runs at the first instant after it, and once where its time comes twice;
 * one with `*` in minute or hour follows the clock. Seconds, years, `@daily` and `?` are refused.
 * @param timeZone an IANA name that is known to be valid
 */
export const parseCron = (expression: string, timeZone: string): CronParse => {
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
      // both days restricted: either will do, unless one of them begins with a star
      domAndDow: day.startsWith('*') || weekday.startsWith('*'),
      paused: true,
    })
    return { ok: true, cron }
  } catch (error) {
    return { ok: false, problem: reasonOf(error) }
  }
}

/** `0-30/15` as `0,15,30`: only a star makes a field follow the clock, a step in a range does not. */
const stepsListed = (field: string): string =>
  field.replace(/(?<![\d-])(\d{1,2})-(\d{1,2})\/(\d{1,2})(?!\d)/g, (whole, from, to, step) => {
    const [first, last, every] = [Number(from), Number(to), Number(step)]
    if (every === 0 || first > last || last > 59) return whole
    const count = Math.floor((last - first) / every) + 1
    return Array.from({ length: count }, (_, index) => first + index * every).join(',')
  })

const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : 'cannot be read'
  return message.replace(/^Cron(Pattern|Date)?:\s*/, '').slice(0, 200)
}
