import type { Uptime } from './check.ts'

const dayMs = 86_400_000
export const uptimeWindowsMs = {
  day: dayMs,
  week: 7 * dayMs,
  month: 30 * dayMs,
  quarter: 90 * dayMs,
} as const satisfies Record<keyof Uptime, number>

/**
 * The windows for which a check is old enough, and the first longer one: a still longer one would repeat its figure as
 * if so much time had been measured.
 * @param createdAt ISO 8601
 */
export const windowsOfAge = (createdAt: string, nowMs: number): ReadonlySet<keyof Uptime> => {
  const keys = Object.keys(uptimeWindowsMs) as (keyof Uptime)[]
  const ageMs = nowMs - Date.parse(createdAt)
  const longer = keys.findIndex((key) => uptimeWindowsMs[key] > ageMs)
  return new Set(longer < 0 ? keys : keys.slice(0, longer + 1))
}

/** Uptime without the windows for which a check is too young. */
export const uptimeOfAge = (uptime: Uptime, createdAt: string, nowMs: number): Uptime => {
  const known = windowsOfAge(createdAt, nowMs)
  const of = (key: keyof Uptime) => (known.has(key) ? uptime[key] : null)
  return { day: of('day'), week: of('week'), month: of('month'), quarter: of('quarter') }
}
