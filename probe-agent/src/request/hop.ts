import type { SecureContext } from 'node:tls'
import { parseTarget } from '@probe-mesh/contracts/target'
import type { Target } from '@probe-mesh/contracts/target'
import { readBody } from './body.ts'
import type { Connection, Secure } from './connect.ts'
import { exchange } from './exchange.ts'
import { unsafeTarget } from './failure.ts'
import type { Guard } from './guard.ts'
import type { Message } from './message.ts'
import type { Answer, Failure, Headers } from './outcome.ts'
import { isLocal, newWay, reach } from './reach.ts'
import type { Way } from './reach.ts'
import { redirectOf } from './redirect.ts'
import { roundMs } from './round.ts'
import type { Stop } from './stop.ts'

export type RequestCapabilities = Guard & {
  trust: SecureContext
  userAgent: string
  /** What the target is told of the region; null: nothing. */
  sentRegion: string | null
}

/** One request and its response: what is known of it while it runs, and when it is over. */
export type Hop = Way & {
  url: string
  /** 0 for a request's own URL, then each redirect followed. */
  number: number
  message: Message
  /** By `performance.now()`. */
  startedAt: number
  /** The status of the head that came, whatever followed it. */
  status: number | null
}

/** What a hop is told by whoever made it. */
export type HopRules = {
  /** A redirect status that is itself the answer asked for is not followed. */
  isFinal(status: number): boolean
  /** Whether the answer will be judged by its body. */
  needsBody(status: number, headers: Headers): boolean
  /** The value of the Cookie header for a URL that may be asked; null for none. */
  cookieFor(url: URL): string | null
  /** A head came: of a redirect or of the answer. */
  onHead(url: URL, headers: Headers): void
  /** The first connection stands. */
  onConnected(): void
}

export type HopResult =
  | { next: string }
  | { failure: Failure }
  | (Pick<Answer, 'status' | 'headers' | 'body'> & { endedAt: number })

export const openHop = (url: string, number: number, message: Message): Hop => ({
  url,
  number,
  message,
  startedAt: performance.now(),
  ...newWay(),
  status: null,
})

/**
 * One request as a monitor must make it: resolved, guarded and pinned by itself, over a fresh
 * connection (reliability.md B.2, steps 1 to 9). @returns the answer, where a redirect leads, or
 * why there is neither; a fault of the target is never thrown
 */
export const runHop = async (
  hop: Hop,
  rules: HopRules,
  stop: Stop,
  capabilities: RequestCapabilities,
): Promise<HopResult> => {
  const parsed = parseTarget(hop.url, { allow: capabilities.allow })
  if (!parsed.ok) return { failure: unsafeTarget }
  const { target } = parsed

  const secure = secureOf(target, capabilities)
  const connection = await reach(target, secure, hop, stop, capabilities)
  if ('failure' in connection) return connection
  if (hop.number === 0) rules.onConnected()
  try {
    return await converse(target, connection, hop, rules, stop, capabilities)
  } finally {
    connection.socket.destroy()
  }
}

const secureOf = ({ url, host, literal }: Target, { trust }: RequestCapabilities): Secure | null =>
  url.protocol === 'https:' ? { servername: literal === 0 ? host : '', trust } : null

const converse = async (
  { url, host, literal }: Target,
  { socket }: Connection,
  hop: Hop,
  rules: HopRules,
  stop: Stop,
  capabilities: RequestCapabilities,
): Promise<HopResult> => {
  const port = url.port === '' ? '' : `:${url.port}`
  const line = {
    hostHeader: `${literal === 6 ? `[${host}]` : host}${port}`,
    path: `${url.pathname}${url.search}`,
    userAgent: capabilities.userAgent,
    sentRegion: capabilities.sentRegion,
    cookie: rules.cookieFor(url),
    message: hop.message,
  }
  const local = isLocal(hop, capabilities)
  const exchanged = await exchange(socket, line, { local, stop })
  if ('cause' in exchanged) return { failure: exchanged }
  const { head } = exchanged
  const { status, headers } = head
  hop.timings.ttfbMs = exchanged.ttfbMs
  hop.status = status
  rules.onHead(url, headers)

  const redirect = redirectOf(head, url, rules.isFinal)
  if (redirect !== null) return redirect.ok ? { next: redirect.location } : redirect
  const headAt = performance.now()
  const read = await readBody(exchanged, { keep: rules.needsBody(status, headers), stop })
  if (!read.ok) return read
  hop.timings.transferMs = roundMs(read.endedAt - headAt)
  return { status, headers, body: read.body, endedAt: read.endedAt }
}
