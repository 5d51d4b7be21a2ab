import { limits } from '@probe-mesh/contracts/schema/limits'
import { createCookies, type Cookies } from './cookies.ts'
import { followRedirects } from './follow-redirects.ts'
import type { HopRules, RequestCapabilities } from './hop.ts'
import { plainGet, type Message } from './message.ts'
import type { Headers, Outcome } from './outcome.ts'
import { redirectedMessage } from './redirected-message.ts'
import { createStop } from './stop.ts'

export type RequestInput = Pick<HopRules, 'httpVersion' | 'addressFamily' | 'connection'> & {
  url: string
  /** Absent: a plain GET. */
  message?: Message | undefined
  /** A redirect with an expected status is not followed. */
  isFinal(status: number): boolean
  /** Whether the verdict needs the body. */
  needsBody(status: number, headers: Headers): boolean
  /** Whether an assertion needs it. */
  judgesBody: boolean
  /**
   * The attempt's only deadline, redirects included: aborted with a `TimeoutError` when reached.
   */
  signal: AbortSignal
  /** That deadline, for texts, ms. */
  deadlineMs: number
  /** The first connection succeeded or failed: the expensive part is over. May be called again. */
  onConnected(): void
  /** A host is about to get this URL and these cookies of the jar. */
  onSending?(url: URL, cookie: string | null): void
}

/**
 * The request of an http check with its redirects, within one deadline. Redirects share the cookies that they set,
 * and what `redirectedMessage` lets them repeat.
 * @returns the outcome; never throws for a fault of the target
 */
export const request = async (input: RequestInput, capabilities: RequestCapabilities): Promise<Outcome> => {
  const { url, isFinal, needsBody, judgesBody, signal, deadlineMs, onConnected } = input
  const stop = createStop(signal, deadlineMs)
  const cookies = redirectCookies()
  const following = {
    isFinal,
    needsBody,
    judgesBody,
    hopsMax: limits.checkRedirectHopsMax,
    redirected: redirectedMessage,
    onConnected,
    ...cookies,
    cookieFor: (to: URL) => {
      const cookie = cookies.cookieFor(to)
      input.onSending?.(to, cookie)
      return cookie
    },
    begin: () => stop,
    end: () => undefined,
    httpVersion: input.httpVersion,
    addressFamily: input.addressFamily,
    connection: input.connection,
  }
  try {
    return await followRedirects(url, input.message ?? plainGet, following, capabilities)
  } finally {
    stop.close()
    onConnected()
  }
}

/** A cookie jar for the redirects of one request, created on demand: few of them set cookies. */
const redirectCookies = (): Pick<HopRules, 'cookieFor' | 'onHead'> => {
  let jar: Cookies | null = null
  let set: { url: URL; cookies: string[] } | null = null
  return {
    cookieFor: (url) => {
      if (set !== null) {
        jar ??= createCookies()
        jar.merge(set.url, set.cookies)
        set = null
      }
      return jar?.headerFor(url) ?? null
    },
    onHead: (url, { 'set-cookie': cookies }) => {
      set = cookies === undefined ? null : { url, cookies }
    },
  }
}
