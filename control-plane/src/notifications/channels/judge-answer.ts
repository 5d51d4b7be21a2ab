import type { SendResult } from '../send-result.ts'

/** 4xx statuses that are temporary: request timeout, too early, too many requests. */
const passing = new Set([408, 425, 429])

const retryAfterMsMax = 3_600_000

/**
 * What a receiver's answer means for the message.
 * @param detail the start of the answer, redacted
 */
export const judgeAnswer = (
  { httpStatus, retryAfter }: { httpStatus: number; retryAfter: string | null },
  detail: string,
  nowMs: number,
): SendResult => {
  if (httpStatus >= 200 && httpStatus < 300) return { ok: true, httpStatus, detail }
  const failed = {
    ok: false,
    httpStatus,
    retryAfterMs: retryAfterMs(retryAfter, nowMs),
    detail,
  } as const
  if (httpStatus === 429) return { ...failed, next: 'retry', kind: 'throttled' }
  if (httpStatus >= 500 || passing.has(httpStatus)) {
    return { ...failed, next: 'retry', kind: 'receiver' }
  }
  if (httpStatus >= 300 && httpStatus < 400) {
    const moved = 'the receiver redirects, and redirects are not followed'
    return { ...failed, next: 'fail', kind: 'refused', detail: moved }
  }
  return { ...failed, next: 'fail', kind: 'refused' }
}

/**
 * `Retry-After` in ms, seconds or a date (RFC 9110 10.2.3), one hour at most: nobody silences a
 * channel for longer. null for what is neither.
 */
export const retryAfterMs = (value: string | null, nowMs: number): number | null => {
  const text = value?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Math.min(Number(text) * 1000, retryAfterMsMax)
  // the dates of HTTP begin with the name of a day
  const dateMs = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(dateMs)) return null
  return Math.min(Math.max(0, dateMs - nowMs), retryAfterMsMax)
}
