import http from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import https from 'node:https'
import { classifyAddress } from '@probe-mesh/contracts/address'
import type { AllowList } from '@probe-mesh/contracts/address'
import { deniedMessage } from '@probe-mesh/contracts/deny-list'
import type { DenyList } from '@probe-mesh/contracts/deny-list'
import { limits } from '@probe-mesh/contracts/limits'
import { isPinned, unsafeAddressText } from '@probe-mesh/contracts/pin'
import { parseTarget } from '@probe-mesh/contracts/target'
import type { Target } from '@probe-mesh/contracts/target'
import { resolvePin } from './resolve.ts'
import type { Resolver } from './resolve.ts'

export type Post = {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
}

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

/** What a post is guarded by. */
export type PostGuard = { allow: AllowList; deny: DenyList; resolver: Resolver }

/** The address is no target: nothing was connected to. */
export class UnsafeTarget extends Error {
  override readonly name = 'UnsafeTarget'
}

const answerBytesMax = 8 * 1024

/**
 * One POST to an address of an account, guarded as a probe is (reliability.md B.2): the URL by its
 * rule, the name and every address of it by the allow and deny lists, one of them pinned and compared
 * with the socket's; a connection of its own, no redirect followed, no proxy, little read of the answer.
 * @throws UnsafeTarget; the error of DNS, socket, TLS or HTTP; the signal's reason
 */
export const post = async (
  { url, headers, body }: Post,
  signal: AbortSignal,
  guard: PostGuard,
): Promise<Answer> => {
  const parsed = parseTarget(url, guard)
  if (!parsed.ok) throw new UnsafeTarget(parsed.problem.message)
  const { target } = parsed
  if (guard.deny.coversHost(target.host)) throw new UnsafeTarget(deniedMessage)
  const address = await unlessAborted(resolvePin(target, guard), signal)
  if (address === 'denied') throw new UnsafeTarget(deniedMessage)
  if (address === null) throw new UnsafeTarget(unsafeAddressText)
  const request = requestTo(target, address, headers, signal)
  request.once('socket', (socket) => {
    socket.once('connect', () => {
      if (socket.remoteAddress === undefined || isPinned(socket.remoteAddress, address)) return
      request.destroy(new UnsafeTarget(unsafeAddressText))
    })
  })
  try {
    const response = await responseTo(request, body)
    const { text, cut } = await beginningOf(response)
    const retryAfter = response.headers['retry-after'] ?? null
    const opened = !classifyAddress(address).allowed
    return { httpStatus: response.statusCode ?? 0, retryAfter, text, cut, opened }
  } finally {
    request.destroy()
  }
}

const requestTo = (
  { url, host, literal, port }: Target,
  address: string,
  headers: Post['headers'],
  signal: AbortSignal,
): ClientRequest => {
  const options = {
    method: 'POST',
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

const responseTo = (request: ClientRequest, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    // stays for the life of the request: an error after the answer is nobody's any more
    request.on('error', reject)
    request.once('response', resolve)
    request.once('upgrade', (_response, socket) => {
      socket.destroy()
      reject(new Error('the receiver switched protocols unasked'))
    })
    request.setHeader('content-length', Buffer.byteLength(body))
    request.end(body)
  })

const beginningOf = async (response: IncomingMessage): Promise<{ text: string; cut: boolean }> => {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response) {
      chunks.push(chunk as Buffer)
      bytes += (chunk as Buffer).length
      if (bytes > answerBytesMax) break
    }
  } catch {
    // the status has been said: an answer that breaks off is as good as a short one
    return { text: decode(chunks), cut: true }
  }
  return { text: decode(chunks), cut: bytes > answerBytesMax }
}

const decode = (chunks: readonly Buffer[]): string =>
  Buffer.concat(chunks).subarray(0, answerBytesMax).toString('utf8')

const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
