import { z } from 'zod'

/** Whether this runtime knows an IANA zone. It also accepts offsets such as `+02:00`, which have no clock changes. */
export const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z][\w+/-]*$/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

export const timeZoneProblem = 'must be an IANA time zone such as Europe/Berlin'

export const TimeZone = z.string().max(60).refine(isTimeZone, timeZoneProblem)
