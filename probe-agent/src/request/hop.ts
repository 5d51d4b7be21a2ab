import type { SecureContext, TLSSocket } from 'node:tls'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Dialled } from '@probe-mesh/contracts/target/connect-to'
import { parseTarget, type Target, type TargetProblem } from '@probe-mesh/contracts/target/target'
import { readBody } from './body.ts'
import { connect, type ConnectFailure, type Connection, type Secure } from './connect.ts'
import { exchange } from './exchange.ts'
import { exchangeHttp2 } from './exchange-http2.ts'
import {
  http2NeedsTls,
  noApplicationProtocol,
  noHttp1,
  noHttp2,
  redirectNotPublic,
  targetRateExceeded,
  unsafeTarget,
} from './failure.ts'
import { mayTryOther, type AddressFamily, type Guard } from './guard.ts'
import type { Message } from './message.ts'
import { dialledOf, ownFor, type OwnConnection } from './own-connection.ts'
import type { Answer, Failure, Headers } from './outcome.ts'
import { onlyHttp2, stillArriving, type Notes } from './notes.ts'
import { createHeadRoom } from './large-heads.ts'
import { isLocal, newWay, recordConnection, reach, type Way } from './reach.ts'
import { redirectOf } from './redirect.ts'
import { roundMs } from './round.ts'
import { identityOf } from './server-identity.ts'
import type { Stop } from './stop.ts'

export type RequestCapabilities = Guard & {
  trust: SecureContext
  userAgent: string
  /** The region sent to the target; null: none. */
  sentRegion: string | null
}

/** State of one request and its response, also after it is over. */
export type Hop = Way & {
  /** Of the request and all its redirects. */
  notes: Notes
  url: string
  /** The URL whose answer redirected here; null: the request's own. */
  redirectedBy: string | null
  /** 0 for the request's own URL, then each redirect. */
  number: number
  message: Message
  /** Parts of the own message that redirects to other origins did not get. */
  leftOut: readonly string[]
  /** By `performance.now()`. */
  startedAt: number
  /** Status of the received head, even if the rest failed. */
  status: number | null
}

/** Rules of a hop, from its caller. */
export type HopRules = {
  /** A redirect with an expected status is not followed. */
  isFinal(status: number): boolean
  /** Whether the verdict needs the body. */
  needsBody(status: number, headers: Headers): boolean
  /** Whether an assertion needs the body, so that the verdict waits for its end. */
  judgesBody: boolean
  /** Value of the Cookie header for an allowed URL; null: none. */
  cookieFor(url: URL): string | null
  /** A head arrived, of a redirect or of the answer. */
  onHead(url: URL, headers: Headers): void
  /** The first connection succeeded. */
  onConnected(): void
  /** Absent: HTTP/1.1, and HTTP/2 where a server has nothing else. */
  httpVersion?: '1.1' | '2' | undefined
  /** Absent: either. */
  addressFamily?: AddressFamily | undefined
  /** How its own scheme, host and port are connected; absent: as usual. */
  connection?: OwnConnection | undefined
}

export type HopResult =
  | { redirect: { next: string; status: number; setCookie: readonly string[] } }
  | { failure: Failure }
  | (Pick<Answer, 'status' | 'headers' | 'body'> & { endedAt: number })

export const openHop = (
  url: string,
  message: Message,
  { number, redirectedBy, notes, leftOut }: Pick<Hop, 'number' | 'redirectedBy' | 'notes' | 'leftOut'>,
): Hop => ({
  notes,
  leftOut,
  url,
  redirectedBy,
  number,
  message,
  startedAt: performance.now(),
  ...newWay(),
  status: null,
})

/**
 * One request as a monitor must make it: with its own resolution, guard and pin, over a fresh
 * connection (S-301, S-3602).
 * @returns the answer, the next URL, or a failure; never throws for a fault of the target
 */
export const runHop = async (
  hop: Hop,
  rules: HopRules,
  stop: Stop,
  capabilities: RequestCapabilities,
): Promise<HopResult> => {
  const { allow } = capabilities
  const charactersMax = hop.number === 0 ? undefined : limits.redirectUrlCharactersMax
  const parsed = parseTarget(hop.url, { allow, ...(charactersMax && { charactersMax }) })
  if (!parsed.ok) return { failure: refusedUrl(hop, parsed.problem) }
  const { target } = parsed

  const own = ownFor(target, rules.connection)
  const dialled = dialledOf(target, own, capabilities)
  if ('cause' in dialled) return { failure: dialled }
  const parts: HopParts = { target, dialled, own, hop, rules, stop, capabilities }
  const secure = secureOf(parts)
  return secure !== null && 'cause' in secure ? { failure: secure } : connectHop(parts, secure)
}

/** Connects a hop that is allowed, in the wanted version of HTTP, and sends its request. */
const connectHop = async (parts: HopParts, secure: Secure | null): Promise<HopResult> => {
  const { dialled, hop, rules, stop, capabilities } = parts
  const { httpVersion, addressFamily } = rules
  const offered: Secure | null =
    secure !== null && httpVersion === '2' ? { ...secure, protocol: 'h2' } : secure
  const first = await reach(dialled, offered, hop, stop, capabilities, addressFamily)
  if ('failure' in first) {
    return secure !== null && first.failure === noApplicationProtocol
      ? withoutAgreement(parts, secure)
      : { failure: refusedName(parts, first.failure) }
  }
  if (hop.number === 0) rules.onConnected()
  if (offered?.protocol === 'h2' && !agreedOnHttp2(first)) {
    first.socket.destroy()
    return { failure: noHttp2 }
  }
  const result = await converse(parts, first)
  if (secure === null || httpVersion !== undefined || !maySpeakHttp2(first, result, hop)) return result
  const second = await connectHttp2(parts, secure)
  // without HTTP/2 the result of HTTP/1.1 counts
  if ('failure' in second) return second.failure.fault === 'probe' ? second : result
  recordConnection(hop, second)
  hop.notes.add(onlyHttp2)
  return converse(parts, second)
}

type HopParts = {
  target: Target
  dialled: Dialled
  /** Settings of the connection, of the check; null: none, or for another place. */
  own: OwnConnection | null
  hop: Hop
  rules: HopRules
  stop: Stop
  capabilities: RequestCapabilities
}

/** The server refused the offered protocol: HTTP/2 is tried unless a version was requested. */
const withoutAgreement = async (parts: HopParts, secure: Secure): Promise<HopResult> => {
  const { hop, rules } = parts
  if (rules.httpVersion !== undefined) return { failure: rules.httpVersion === '2' ? noHttp2 : noHttp1 }
  const second = await connectHttp2(parts, secure)
  if ('connectMs' in second) recordConnection(hop, second)
  if ('failure' in second) return { failure: refusedName(parts, second.failure) }
  if (hop.number === 0) rules.onConnected()
  hop.notes.add(onlyHttp2)
  return converse(parts, second)
}

/** A redirect to a place that a public browser could not reach is the target's fault. */
const refusedUrl = ({ number }: Hop, { rule }: TargetProblem): Failure =>
  number === 0 || rule === 'url_port' || rule === 'url_length' ? unsafeTarget : redirectNotPublic

const withoutAddress: ReadonlySet<string> = new Set(['dns_not_found', 'dns_no_address'])

const refusedName = ({ hop, capabilities }: HopParts, failure: Failure): Failure => {
  if (hop.number === 0) return failure
  const isAbsent = capabilities.isOwnNetwork !== true && withoutAddress.has(failure.cause)
  return failure === unsafeTarget || isAbsent ? redirectNotPublic : failure
}

const secureOf = ({ target, own, hop, capabilities }: HopParts): Secure | Failure | null => {
  const { url, host, literal } = target
  if (url.protocol !== 'https:') return null
  const trust = hop.message.own?.trust ?? null
  if (own !== null) {
    const secure = identityOf({ host, literal: literal !== 0 }, own, capabilities)
    return 'cause' in secure || trust === null ? secure : { ...secure, trust }
  }
  return { servername: literal === 0 ? host : '', trust: trust ?? capabilities.trust }
}

const agreedOnHttp2 = ({ socket }: Connection): boolean => (socket as TLSSocket).alpnProtocol === 'h2'

/** A second connection to the same address, which must agree on HTTP/2. */
const connectHttp2 = async (
  { dialled: { port }, hop, stop, capabilities }: HopParts,
  secure: Secure,
): Promise<Connection | ConnectFailure | { failure: Failure }> => {
  const { address } = hop
  if (address === null || !mayTryOther(address, capabilities)) return { failure: targetRateExceeded }
  const local = isLocal(hop, capabilities)
  const made = await connect({ address, port }, { ...secure, protocol: 'h2' }, { local, stop })
  if ('failure' in made) return made
  if (agreedOnHttp2(made)) return made
  made.socket.destroy()
  return { ...made, failure: noApplicationProtocol }
}

/** Results of HTTP/1.1 with a server that uses HTTP/2 without agreement. */
const unlikeHttp1: ReadonlySet<string> = new Set(['bad_http', 'connection_closed', 'connection_reset'])

/** Whether to try HTTP/2: no protocol was agreed, no head came, and repeating is harmless. */
const maySpeakHttp2 = ({ socket }: Connection, result: HopResult, { status, message }: Hop): boolean =>
  'failure' in result &&
  unlikeHttp1.has(result.failure.cause) &&
  status === null &&
  message.method === 'GET' &&
  (socket as TLSSocket).alpnProtocol === false

/** One request over a connection, which is then closed, in the protocol that it agreed on. */
const converse = async (
  { target: { url, host, literal }, own, hop, rules, stop, capabilities }: HopParts,
  connection: Connection,
): Promise<HopResult> => {
  const { socket } = connection
  const isHttp2 = agreedOnHttp2(connection)
  const port = url.port === '' ? '' : `:${url.port}`
  const line = {
    hostHeader: own?.hostHeader ?? `${literal === 6 ? `[${host}]` : host}${port}`,
    path: `${url.pathname}${url.search}`,
    userAgent: capabilities.userAgent,
    sentRegion: capabilities.sentRegion,
    cookie: rules.cookieFor(url),
    message: hop.message,
  }
  const local = isLocal(hop, capabilities)
  const room = createHeadRoom(capabilities.largeHead)
  try {
    const exchanged = isHttp2
      ? await exchangeHttp2(socket, line, { local, stop })
      : await exchange(socket, line, { local, stop, room, notes: hop.notes })
    if ('cause' in exchanged) return { failure: exchanged }
    const { head, headAt } = exchanged
    const { status, headers } = head
    hop.timings.ttfbMs = exchanged.ttfbMs
    hop.status = status
    rules.onHead(url, headers)

    const redirect = redirectOf(head, url, rules.isFinal, hop.notes)
    if (redirect !== null) {
      const setCookie = headers['set-cookie'] ?? []
      return redirect.ok ? { redirect: { next: redirect.location, status, setCookie } } : redirect
    }
    if (rules.httpVersion === '2' && !isHttp2) return { failure: http2NeedsTls }
    const { judgesBody } = rules
    const keep = rules.needsBody(status, headers)
    const read = await readBody(exchanged, { keep, judgesBody, stop })
    if (!read.ok) return read
    if (read.flowingMs === null) hop.timings.transferMs = roundMs(read.endedAt - headAt)
    else hop.notes.add(stillArriving(read.flowingMs))
    return { status, headers, body: read.body, endedAt: read.endedAt }
  } finally {
    socket.destroy()
    room.release()
  }
}
