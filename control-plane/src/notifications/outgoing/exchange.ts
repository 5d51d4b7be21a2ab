import http from 'node:http'
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import https from 'node:https'
import { classifyAddress } from '@probe-mesh/contracts/target/address'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import { deniedMessage } from '@probe-mesh/contracts/target/deny-list'
import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isPinned, unsafeAddressText } from '@probe-mesh/contracts/target/pin'
import { parseTarget } from '@probe-mesh/contracts/target/target'
import type { Target } from '@probe-mesh/contracts/target/target'
import { resolvePin } from './resolve.ts'
import type { Resolver } from './resolve.ts'

/** One request. */
export type Sent = {
  method: 'GET' | 'POST'
  url: string
  headers: Readonly<Record<string, string>>
  /** null: none. */
  body: string | null
}

/** What was answered: of its body the beginning. */
export type Exchanged = {
  httpStatus: number
  headers: IncomingHttpHeaders
  bytes: Buffer
  /** Whether the answer goes on behind `bytes`. */
  cut: boolean
  /** Whether the address that answered is not public: the operator opened it. */
  opened: boolean
}

/** What a request is guarded by. */
export type OutgoingGuard = { allow: AllowList; deny: DenyList; resolver: Resolver }

/** The address is no target: nothing was connected to. */
export class UnsafeTarget extends Error {
  override readonly name = 'UnsafeTarget'
}

/**
 * One request to an address that is not ours, guarded as a probe is (S-3602): the URL by its rule, the name
 * and every address of it by the allow and deny lists, one of them pinned and compared with the socket's; a
 * connection of its own, no redirect followed, no proxy, and no more read than is asked for.
 * @param bytesMax read of the answer's body
 * @throws UnsafeTarget; the error of DNS, socket, TLS or HTTP; the signal's reason
 */
export const exchange = async (
  sent: Sent,
  bytesMax: number,
  signal: AbortSignal,
  guard: OutgoingGuard,
): Promise<Exchanged> => {
  const parsed = parseTarget(sent.url, guard)
  if (!parsed.ok) throw new UnsafeTarget(parsed.problem.message)
  const { target } = parsed
  if (guard.deny.coversHost(target.host)) throw new UnsafeTarget(deniedMessage)
  const address = await unlessAborted(resolvePin(target, guard), signal)
  if (address === 'denied') throw new UnsafeTarget(deniedMessage)
  if (address === null) throw new UnsafeTarget(unsafeAddressText)
  const request = requestTo(target, address, sent, signal)
  request.once('socket', (socket) => {
    socket.once('connect', () => {
      if (socket.remoteAddress === undefined || isPinned(socket.remoteAddress, address)) return
      request.destroy(new UnsafeTarget(unsafeAddressText))
    })
  })
  try {
    const response = await responseTo(request, sent.body)
    const { bytes, cut } = await beginningOf(response, bytesMax)
    const opened = !classifyAddress(address).allowed
    return {
      httpStatus: response.statusCode ?? 0,
      headers: response.headers,
      bytes,
      cut,
      opened,
    }
  } finally {
    request.destroy()
  }
}

const requestTo = (
  { url, host, literal, port }: Target,
  address: string,
  { method, headers }: Sent,
  signal: AbortSignal,
): ClientRequest => {
  const options = {
    method,
    host: address,
    port,
    path: `${url.pathname}${url.search}`,
    headers: { 'user-agent': 'ProbeMesh', ...headers, host: url.host },
    agent: false,
    autoSelectFamily: false,
    maxHeaderSize: limits.headerBytesMax,
    signal,
  } as const
  return url.protocol === 'https:'
    ? https.request({ ...options, servername: literal === 0 ? host : '' })
    : http.request(options)
}

const responseTo = (request: ClientRequest, body: string | null): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    // stays for the life of the request: an error after the answer is nobody's any more
    request.on('error', reject)
    request.once('response', resolve)
    request.once('upgrade', (_response, socket) => {
      socket.destroy()
      reject(new Error('the receiver switched protocols unasked'))
    })
    if (body === null) {
      request.end()
      return
    }
    request.setHeader('content-length', Buffer.byteLength(body))
    request.end(body)
  })

const beginningOf = async (
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
    // the status has been said: an answer that breaks off is as good as a short one
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
 * One GET of a public document, and of where it was moved to: every address on the way is judged. @see exchange
 * @param bytesMax of the document
 */
export const get = async (
  url: string,
  { accept, bytesMax }: { accept: string; bytesMax: number },
  signal: AbortSignal,
  guard: OutgoingGuard,
): Promise<Exchanged> => {
  let at = url
  for (let followed = 0; ; followed++) {
    const sent = { method: 'GET', url: at, headers: { accept }, body: null } as const
    const answer = await exchange(sent, bytesMax, signal, guard)
    const { location } = answer.headers
    const isMoved = redirects.has(answer.httpStatus) && location !== undefined
    if (!isMoved || followed >= redirectsMax || !URL.canParse(location, at)) return answer
    at = new URL(location, at).href
  }
}

export type Post = Omit<Sent, 'method' | 'body'> & { body: string }

/** What a receiver answered: the beginning of its body, as text. */
export type Answer = {
  httpStatus: number
  retryAfter: string | null
  text: string
  /** Whether the answer goes on behind `text`. */
  cut: boolean
  /** Whether the address that answered is not public: the operator opened it. */
  opened: boolean
}

const answerBytesMax = 8 * 1024

/** One POST to an address of an account, guarded, of whose answer little is read. @see exchange */
export const post = async (
  sent: Post,
  signal: AbortSignal,
  guard: OutgoingGuard,
): Promise<Answer> => {
  const asked = { ...sent, method: 'POST' } as const
  const { httpStatus, headers, bytes, cut, opened } = await exchange(
    asked,
    answerBytesMax,
    signal,
    guard,
  )
  const retryAfter = headers['retry-after'] ?? null
  return { httpStatus, retryAfter, text: bytes.toString('utf8'), cut, opened }
}
