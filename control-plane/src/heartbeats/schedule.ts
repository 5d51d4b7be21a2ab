import { HeartbeatSettings } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { fieldProblems } from '@probe-mesh/contracts/schema/refusal'
import type { FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { parseCron } from './cron.ts'

const zoneDefault = 'UTC'

/**
 * Everything that is wrong with a heartbeat's settings, at once: paths are field names. Exactly one
 * of `periodSeconds` and `cron`; a zone is an IANA name and goes with `cron` only.
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
      message: 'a heartbeat has a period or a cron schedule, not both',
    })
  }
  if (timeZone !== null && cron === null) {
    problems.push({ path: 'timeZone', message: 'a time zone goes with a cron schedule only' })
  }
  const zoneIsValid = timeZone === null || isTimeZone(timeZone)
  if (!zoneIsValid) {
    const message = 'must be an IANA time zone such as Europe/Berlin'
    problems.push({ path: 'timeZone', message })
  }
  const cronProblem =
    cron === null
      ? null
      : problemOfCron(cron, zoneIsValid ? (timeZone ?? zoneDefault) : zoneDefault)
  return cronProblem === null ? problems : [...problems, { path: 'cron', message: cronProblem }]
}

/** Offsets such as `+02:00` are taken by the runtime as well, and know of no clock change. */
const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const problemOfCron = (expression: string, timeZone: string): string | null => {
  const parsed = parseCron(expression, timeZone)
  if (!parsed.ok) return parsed.problem
  return parsed.cron.nextRun(new Date(0)) === null ? 'is never due' : null
}

/**
 * When the next pings are expected, Unix ms, each after the one before: `count` of them after
 * `afterMs`. Of a schedule that ends, fewer. Also the preview of a schedule around a clock change.
 * @throws Error for settings that `heartbeatSettingsProblems` refuses
 */
export const nextExpected = (
  settings: HeartbeatSettings,
  afterMs: number,
  count: number,
): number[] => {
  const { periodSeconds, cron, timeZone } = settings
  if (periodSeconds !== null) {
    return Array.from({ length: count }, (_, index) => afterMs + (index + 1) * periodSeconds * 1000)
  }
  if (cron === null) throw new Error('a heartbeat without a period has a cron schedule')
  const parsed = parseCron(cron, timeZone ?? zoneDefault)
  if (!parsed.ok) throw new Error(`a stored cron schedule ${parsed.problem}`)
  return parsed.cron.nextRuns(count, new Date(afterMs)).map((date) => date.getTime())
}
