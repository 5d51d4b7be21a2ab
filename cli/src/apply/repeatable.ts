import { retryAfterMs, wholeSeconds } from '@probe-mesh/runtime/retry-after'
import { causesOf, codeOf } from '@probe-mesh/runtime/errors'
import type { AnswerHeaders } from '@probe-mesh/contracts/api/route-client'

/** Codes of `fetch` for an exchange that broke off, or never began. */
const lostCodes = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
])
/** fetch failed, its cause, and the cause of that. */
const causesMax = 4

/** Whether the connection was lost, so that sending the same request again makes sense. */
export const isLostConnection = (error: unknown): boolean =>
  causesOf(error, causesMax).some((cause) => lostCodes.has(codeOf(cause)))

/** `Retry-After` in seconds, at least one (RFC 9110 10.2.3). */
export const retryAfterSecondsOf = (headers: AnswerHeaders): number | null => {
  const waitMs = retryAfterMs(headers.get('retry-after'), Date.now())
  return waitMs === null ? null : wholeSeconds(waitMs)
}

/** How long a run waits for an API that restarts, and between two tries. */
export const patienceMs = 30_000
export const againMs = 1_000
export const tryingAgain = `The API does not answer: trying again for ${patienceMs / 1000} s.`
