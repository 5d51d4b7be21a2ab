import { limits } from '@probe-mesh/contracts/schema/limits'
import { createCookies } from './cookies.ts'
import type { Cookies } from './cookies.ts'
import { followRedirects } from './follow-redirects.ts'
import type { HopRules, RequestCapabilities } from './hop.ts'
import { plainGet } from './message.ts'
import type { Headers, Outcome } from './outcome.ts'
import { createStop } from './stop.ts'

export type RequestInput = {
  url: string
  /** A redirect status that is itself the answer asked for is not followed. */
  isFinal(status: number): boolean
  /** Whether the answer will be judged by its body. */
  needsBody(status: number, headers: Headers): boolean
  /** Whether an assertion reads it. */
  judgesBody: boolean
  /** The attempt's one deadline, redirects included: aborted with a `TimeoutError` when reached. */
  signal: AbortSignal
  /** What that deadline is, for people. */
  deadlineMs: number
  /** The first connection stands or has failed: the costly part is over. May be called again. */
  onConnected(): void
}

/**
 * One http(s) GET as an http check makes it: its redirects followed, within one deadline for all of
 * them, and nothing carried from one to the next but the cookies that they set.
 * @returns what became of it; a fault of the target is never thrown
 */
export const request = async (
  { url, isFinal, needsBody, judgesBody, signal, deadlineMs, onConnected }: RequestInput,
  capabilities: RequestCapabilities,
): Promise<Outcome> => {
  const stop = createStop(signal, deadlineMs)
  const following = {
    isFinal,
    needsBody,
    judgesBody,
    hopsMax: limits.checkRedirectHopsMax,
    onConnected,
    ...redirectCookies(),
    begin: () => stop,
    end: () => undefined,
  }
  try {
    return await followRedirects(url, plainGet, following, capabilities)
  } finally {
    stop.close()
    onConnected()
  }
}

/** A jar for the redirects of one request, which is made where one of them sets a cookie: few do. */
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
