import http, { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import tls from 'node:tls'
import { classifyAddress, type AllowList } from '@probe-mesh/contracts/target/address'
import { deniedMessage, type DenyList } from '@probe-mesh/contracts/target/deny-list'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isPinned, unsafeAddressText } from '@probe-mesh/contracts/target/pin'
import { parseTarget, type Target } from '@probe-mesh/contracts/target/target'
import { directNetwork, proxyOfPinned, type Network } from '@probe-mesh/runtime/network'
import { openTunnel } from '@probe-mesh/runtime/proxy-tunnel'
import { resolvePin, type Resolver } from './resolve.ts'

/** One request to an address of an account. */
type GuardedRequest = {
  method: 'GET' | 'POST'
  url: string
  headers: Readonly<Record<string, string>>
  /** null: none. */
  body: string | Uint8Array | null
}

/** The answer, with the start of its body. */
export type GuardedResponse = {
  httpStatus: number
  headers: IncomingHttpHeaders
  bytes: Buffer
  /** Whether the answer continues after `bytes`. */
  cut: boolean
  /** Whether the address is not public but was opened by the operator. */
  opened: boolean
}

/**
 * The rules for the addresses that a request may reach.
 * `encrypts`: a public address is reached by https only. `network`: absent: without a proxy
 */
export type RequestGuard = {
  allow: AllowList
  deny: DenyList
  resolver: Resolver
  encrypts?: boolean
  network?: Network | undefined
}

/** Why a public address is not reached by http. */
export const plainHttpText = 'must be https: http is for addresses that the operator opened'

/** The address is not allowed. No connection was made. */
export class UnsafeTarget extends Error {
  override readonly name = 'UnsafeTarget'
}

/**
 * Sends one request to an external address, guarded like a probe (S-3602): the URL is validated, its name and
 * all addresses are checked against the allow and deny lists, and one address is pinned and compared with
 * the socket. It uses its own connection, follows no redirect, and reads at most `bytesMax`. A proxy gets the address
 * that was checked, or the name where the operator lets it resolve the name.
 * @param bytesMax limit for the body of the answer
 * @throws UnsafeTarget; the error of DNS, socket, TLS or HTTP; the signal's reason
 */
const sendGuarded = async (
  sent: GuardedRequest,
  bytesMax: number,
  signal: AbortSignal,
  guard: RequestGuard,
): Promise<GuardedResponse> => {
  const parsed = parseTarget(sent.url, guard)
  if (!parsed.ok) throw new UnsafeTarget(parsed.problem.message)
  const { target } = parsed
  if (guard.deny.coversHost(target.host)) throw new UnsafeTarget(deniedMessage)
  const { network = directNetwork } = guard
  const isAtProxy = network.proxyOf(target.url) !== null && network.isResolvedByProxy(target.host)
  const address = isAtProxy ? target.host : await checkedAddress(target, guard, signal)
  const opened = !isAtProxy && !classifyAddress(address).allowed
  if (guard.encrypts === true && target.url.protocol === 'http:' && !opened)
    throw new UnsafeTarget(plainHttpText)
  const proxy = isAtProxy ? network.proxyOf(target.url) : proxyOfPinned(network, target.url, address)
  const ways = { signal, trusted: network.trusted() }
  const tunnel = proxy === null ? null : await openTunnel(proxy, { host: address, port: target.port }, ways)
  const request = requestTo(target, address, sent, { ...ways, tunnel })
  if (tunnel === null) {
    request.once('socket', (socket) => {
      socket.once('connect', () => {
        if (socket.remoteAddress === undefined || isPinned(socket.remoteAddress, address)) return
        request.destroy(new UnsafeTarget(unsafeAddressText))
      })
    })
  }
  try {
    const response = await responseTo(request, sent.body)
    const { bytes, cut } = await readStart(response, bytesMax)
    return {
      httpStatus: response.statusCode ?? 0,
      headers: response.headers,
      bytes,
      cut,
      opened,
    }
  } finally {
    request.destroy()
    tunnel?.destroy()
  }
}

const checkedAddress = async (target: Target, guard: RequestGuard, signal: AbortSignal): Promise<string> => {
  const address = await unlessAborted(resolvePin(target, guard), signal)
  if (address === 'denied') throw new UnsafeTarget(deniedMessage)
  if (address === null) throw new UnsafeTarget(unsafeAddressText)
  return address
}

/** @param way.tunnel a connection to the address through a proxy; null: it connects by itself */
const requestTo = (
  { url, host, literal, port }: Target,
  address: string,
  { method, headers }: GuardedRequest,
  way: { signal: AbortSignal; trusted: tls.SecureContext | undefined; tunnel: Socket | null },
): ClientRequest => {
  const { signal, trusted, tunnel } = way
  const options = {
    method,
    host: address,
    port,
    path: `${url.pathname}${url.search}`,
    // answers are read as they come: without the header any coding is acceptable (RFC 9110 12.5.3)
    headers: { 'user-agent': 'ProbeMesh', 'accept-encoding': 'identity', ...headers, host: url.host },
    autoSelectFamily: false,
    maxHeaderSize: limits.headerBytesMax,
    signal,
  } as const
  const secure = {
    servername: literal === 0 ? host : '',
    ...(trusted !== undefined && { secureContext: trusted }),
  }
  const isSecure = url.protocol === 'https:'
  if (tunnel !== null) {
    const socket = isSecure ? tls.connect({ ...secure, socket: tunnel, host: address }) : tunnel
    return http.request({ ...options, createConnection: () => socket })
  }
  return isSecure
    ? https.request({ ...options, ...secure, agent: false })
    : http.request({ ...options, agent: false })
}

const responseTo = (request: ClientRequest, body: GuardedRequest['body']): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    // stays for the life of the request: errors after the answer are ignored
    request.on('error', reject)
    request.once('response', resolve)
    request.once('upgrade', (_response, socket) => {
      socket.destroy()
      reject(new Error('the receiver switched protocols without being asked'))
    })
    if (body === null) {
      request.end()
      return
    }
    request.setHeader('content-length', Buffer.byteLength(body))
    request.end(body)
  })

const readStart = async (
  response: IncomingMessage,
  bytesMax: number,
): Promise<{ bytes: Buffer; cut: boolean }> => {
  const chunks: Buffer[] = []
  let count = 0
  let broken = false
  try {
    for await (const chunk of response) {
      chunks.push(chunk as Buffer)
      count += (chunk as Buffer).length
      if (count > bytesMax) break
    }
  } catch {
    // the status is known: an answer that breaks off counts as a short one
    broken = true
  }
  return { bytes: Buffer.concat(chunks).subarray(0, bytesMax), cut: broken || count > bytesMax }
}

const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })

const redirectsMax = 3
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Sends one GET for a public document and follows redirects. Every address on the way is guarded.
 * @param bytesMax limit for the document
 */
export const get = async (
  url: string,
  { accept, bytesMax }: { accept: string; bytesMax: number },
  signal: AbortSignal,
  guard: RequestGuard,
): Promise<GuardedResponse> => {
  let at = url
  for (let followed = 0; ; followed++) {
    const sent = { method: 'GET', url: at, headers: { accept }, body: null } as const
    const answer = await sendGuarded(sent, bytesMax, signal, guard)
    const { location } = answer.headers
    const isMoved = redirects.has(answer.httpStatus) && location !== undefined
    if (!isMoved || followed >= redirectsMax || !URL.canParse(location, at)) return answer
    at = new URL(location, at).href
  }
}

export type Post = Omit<GuardedRequest, 'method' | 'body'> & { body: string | Uint8Array }

/** The answer of a receiver, with the start of its body as text. */
export type Answer = {
  httpStatus: number
  retryAfter: string | null
  contentType: string | null
  bytes: Buffer
  text: string
  /** Whether the answer continues after `text`. */
  cut: boolean
  /** Whether the address is not public but was opened by the operator. */
  opened: boolean
}

const answerBytesMax = 8 * 1024

/** Sends one guarded POST and reads the start of the answer. */
export const post = async (sent: Post, signal: AbortSignal, guard: RequestGuard): Promise<Answer> => {
  const request = { ...sent, method: 'POST' } as const
  const { httpStatus, headers, bytes, cut, opened } = await sendGuarded(
    request,
    answerBytesMax,
    signal,
    guard,
  )
  const retryAfter = headers['retry-after'] ?? null
  const contentType = headers['content-type'] ?? null
  return { httpStatus, retryAfter, contentType, bytes, text: bytes.toString('utf8'), cut, opened }
}
