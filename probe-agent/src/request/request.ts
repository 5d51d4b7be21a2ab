import { followRedirects } from './follow-redirects.ts'
import type { RequestCapabilities } from './hop.ts'
import { plainGet } from './message.ts'
import type { Headers, Outcome } from './outcome.ts'
import { createStop } from './stop.ts'

export type RequestInput = {
  url: string
  /** A redirect status that is itself the answer asked for is not followed. */
  isFinal(status: number): boolean
  /** Whether the answer will be judged by its body. */
  needsBody(status: number, headers: Headers): boolean
  /** The attempt's one deadline, redirects included: aborted with a `TimeoutError` when reached. */
  signal: AbortSignal
  /** What that deadline is, for people. */
  deadlineMs: number
  /** The first connection stands or has failed: the costly part is over. May be called again. */
  onConnected(): void
}

const noCookies = (): null => null
const ignore = (): void => undefined

/**
 * One http(s) GET as an http check makes it: its redirects followed, within one deadline for all of
 * them, and nothing carried from one to the next.
 * @returns what became of it; a fault of the target is never thrown
 */
export const request = async (
  { url, isFinal, needsBody, signal, deadlineMs, onConnected }: RequestInput,
  capabilities: RequestCapabilities,
): Promise<Outcome> => {
  const stop = createStop(signal, deadlineMs)
  const following = {
    isFinal,
    needsBody,
    onConnected,
    cookieFor: noCookies,
    onHead: ignore,
    begin: () => stop,
    end: ignore,
  }
  try {
    return await followRedirects(url, plainGet, following, capabilities)
  } finally {
    stop.close()
    onConnected()
  }
}
