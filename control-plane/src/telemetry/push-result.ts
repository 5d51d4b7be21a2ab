import type { Sent } from './judge-answer.ts'
import type { Items } from './otlp.ts'

/** Sends one request. */
export type SendPart = (items: Items) => Promise<Sent>

/** Why a push failed. `waits`: the endpoint is left alone for a while. */
type PushFailure = { detail: string; retryAfterMs: number | null; waits: boolean }

/** What a push did. `failure` null: the receiver took something of each request. */
export type PushResult = {
  failure: PushFailure | null
  /** What the receiver refused or warned of, for people. */
  warning: string | null
  sent: number
  /** Not accepted, and not sent again. */
  refused: number
  dropped: number
}

/**
 * The failure that a request is, if any: also an answer of success that refuses all items.
 * @param items of the request, in the unit of the answer
 */
export const failureIn = (sent: Sent, items: number): PushFailure | null => {
  if (sent.kind === 'failed') return { detail: sent.detail, retryAfterMs: sent.retryAfterMs, waits: true }
  if (sent.kind === 'wrong') return { detail: sent.detail, retryAfterMs: null, waits: sent.isEndpoint }
  return sent.refused < items || items === 0
    ? null
    : { detail: sent.detail ?? '', retryAfterMs: null, waits: false }
}
