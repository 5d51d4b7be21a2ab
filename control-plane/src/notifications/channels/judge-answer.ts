import { retryAfterMs } from '@probe-mesh/runtime/retry-after'
import type { SendResult } from '../send-result.ts'

/** Answers of 400 to 499 that another time may heal: a slow request, too early, too many. */
const passing = new Set([408, 425, 429])

/** However long a receiver asks for, its channel is not silent for longer. */
const retryAfterMsMax = 3_600_000

/**
 * What a receiver's answer means for the message.
 * @param detail the beginning of the answer, as it may be shown
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
    const moved = 'the receiver redirects, which is not followed'
    return { ...failed, next: 'give_up', kind: 'refused', detail: moved }
  }
  return { ...failed, next: 'give_up', kind: 'refused' }
}
