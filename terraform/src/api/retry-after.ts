import type { AnswerHeaders } from '@probe-mesh/contracts/api/route-client'

const days = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const months = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
/** RFC 9110 5.6.7: the form that is sent today. */
const httpDate = new RegExp(`^${days}, \\d{2} ${months} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$`)

/**
 * The wait that `Retry-After` asks for (RFC 9110 10.2.3), as seconds or as a date; null where there is
 * none or it cannot be read. @returns milliseconds, never negative
 */
export const retryAfterMs = (headers: AnswerHeaders, nowMs: number): number | null => {
  const value = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const atMs = httpDate.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs)
}
