import type { AnswerHeaders } from '@probe-mesh/contracts/api/route-client'
import { retryAfterMs, wholeSeconds } from '@probe-mesh/runtime/retry-after'

/** A wait that the API asks for, in seconds; at least one. */
export const retryAfterSecondsOf = (headers: AnswerHeaders): number | null => {
  const waitMs = retryAfterMs(headers.get('retry-after'), Date.now())
  return waitMs === null ? null : wholeSeconds(waitMs)
}

/**
 * The seconds until the write budget has a place again, where it has none now; otherwise null. Of a
 * list of budgets (draft-ietf-httpapi-ratelimit-headers-11) the one named `writes` counts.
 */
export const writesResetSecondsOf = (headers: AnswerHeaders): number | null => {
  const item = (headers.get('ratelimit') ?? '')
    .split(',')
    .find((each) => each.trim().startsWith('"writes"'))
  if (item === undefined || numberOf(item, 'r') !== 0) return null
  return Math.max(1, numberOf(item, 't') ?? 1)
}

const numberOf = (item: string, parameter: 'r' | 't'): number | null => {
  const found = new RegExp(`;\\s*${parameter}=(\\d{1,9})\\s*(?:;|$)`).exec(item)?.[1]
  return found === undefined ? null : Number(found)
}
