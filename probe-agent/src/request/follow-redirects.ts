import { tooManyRedirects } from './failure.ts'
import { openHop, runHop, type Hop, type HopResult, type HopRules, type RequestCapabilities } from './hop.ts'
import type { Message } from './message.ts'
import { followedWithout } from './notes.ts'
import type { Failure, Outcome } from './outcome.ts'
import { leftBehind } from './own-connection.ts'
import type { Redirected, Redirection } from './redirected-message.ts'
import { roundMs } from './round.ts'
import type { Stop } from './stop.ts'

/** Rules of a request and its redirects. */
export type Following = HopRules & {
  /** Limit of redirects. */
  hopsMax: number
  /** What a redirect sends, given what was sent to the URL that redirects. */
  redirected(message: Message, redirection: Redirection): Redirected
  /**
   * Called when a hop starts.
   * @returns what ends it early
   */
  begin(hop: Hop): Stop
  /**
   * Called when a hop is over, also after an exception.
   * @param endedAt by `performance.now()`
   */
  end(hop: Hop, endedAt: number): void
}

/**
 * Sends a message to a URL and follows its redirects, each with the message that the rules name (S-310, S-410,
 * S-3802).
 * @returns the outcome with the last hop's phases; never throws for a fault of the target
 */
export const followRedirects = async (
  url: string,
  message: Message,
  following: Following,
  capabilities: RequestCapabilities,
): Promise<Outcome> => {
  const startedAt = performance.now()
  let hop = openHop(url, message, { number: 0, redirectedBy: null, notes: new Set(), leftOut: none })
  for (;;) {
    const { result, endedAt } = await watched(hop, following, capabilities)
    if ('failure' in result) return failed(result.failure, hop, endedAt - startedAt)
    if ('status' in result) {
      const { status, headers, body } = result
      return { ok: true, status, headers, body, ...measured(hop, endedAt - startedAt) }
    }
    if (hop.number >= following.hopsMax) {
      return failed(tooManyRedirects, hop, endedAt - startedAt)
    }
    const { next, status, setCookie } = result.redirect
    const sent = following.redirected(hop.message, { status, from: hop.url, to: next, setCookie })
    if ('failure' in sent) return failed(sent.failure, hop, endedAt - startedAt)
    const leftOut = [...leftBehind({ from: hop.url, to: next }, following.connection), ...sent.leftOut]
    if (leftOut.length > 0) hop.notes.add(followedWithout(leftOut))
    hop = openHop(next, sent.message, {
      number: hop.number + 1,
      redirectedBy: hop.url,
      notes: hop.notes,
      leftOut: leftOut.length === 0 ? hop.leftOut : [...new Set([...hop.leftOut, ...leftOut])],
    })
  }
}

const watched = async (
  hop: Hop,
  following: Following,
  capabilities: RequestCapabilities,
): Promise<{ result: HopResult; endedAt: number }> => {
  const stop = following.begin(hop)
  let endedAt: number | null = null
  try {
    const result = await runHop(hop, following, stop, capabilities)
    endedAt = 'endedAt' in result ? result.endedAt : performance.now()
    return { result, endedAt }
  } finally {
    following.end(hop, endedAt ?? performance.now())
  }
}

const failed = (failure: Failure, hop: Hop, ms: number): Outcome => ({
  ok: false,
  ...failure,
  ...measured(hop, ms),
})

const none: readonly string[] = []

const measured = (hop: Hop, ms: number) => ({
  url: hop.url,
  redirectedBy: hop.redirectedBy,
  addresses: hop.addresses,
  unresolved: hop.unresolved,
  unroutable: hop.unroutable,
  timings: hop.timings,
  latencyMs: roundMs(ms),
  address: hop.address,
  hops: hop.number,
  method: hop.message.method,
  leftOut: hop.leftOut,
  certificateExpiresAt: hop.certificateExpiresAt,
  notes: hop.notes.size === 0 ? none : [...hop.notes],
  certificate: hop.certificate,
})
