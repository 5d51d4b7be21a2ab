import { retryAfterMs } from '@probe-mesh/runtime/retry-after'
import type { SendResult } from '../outgoing/send-result.ts'

/** 4xx statuses that are temporary: request timeout, too early, too many requests. */
const passing = new Set([408, 425, 429])

/** However long a receiver asks for, its channel is not silent for longer. */
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
    retryAfterMs: retryAfterMs(retryAfter, nowMs, { maxMs: retryAfterMsMax }),
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
