import {
  Agent as PlainAgent,
  request as requestPlain,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http'
import { Agent as SecureAgent, request as requestSecure } from 'node:https'
import type { Exchange, ExchangeAnswer } from '@probe-mesh/contracts/api/route-client'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import { causesOf, codeOf } from '@probe-mesh/runtime/errors'
import { proxyOf, ThroughProxy, type Proxy } from '@probe-mesh/runtime/proxy'
import { isUnknownIssuer, trustSystemStore } from '@probe-mesh/runtime/system-trust'

export type ExchangeBounds = { msMax: number; bytesMax: number }

/** The API answers every request within 15 s; 10,000 checks are 10 MB. */
const boundsDefault: ExchangeBounds = { msMax: 30_000, bytesMax: 128 * 1024 * 1024 }

type ExchangeOptions = Partial<ExchangeBounds> & {
  /** Names the proxy. */
  environment?: Readonly<Record<string, string | undefined>>
}

/**
 * Requests over `node:http`: `fetch` needs 75 ms for its first response in a process that lives for half a
 * second. Responses are bounded in time and size. Redirects are refused, since the key would follow them. A
 * proxy's 5xx is not a response of the API. The proxy is that of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`;
 * the certificates of the system's store are trusted too.
 */
export const createExchange = (options: ExchangeOptions = {}): Exchange => {
  const { msMax, bytesMax, environment = {} } = { ...boundsDefault, ...options }
  const agentOf = createAgents(environment)
  const exchange: Exchange = async (url, { method, headers, body, signal }) => {
    const timeout = AbortSignal.timeout(msMax)
    const { agent, proxy } = agentOf(url)
    const sent = {
      method,
      headers: { ...headers, 'accept-encoding': 'gzip' },
      signal: signal === undefined ? timeout : anySignal([signal, timeout]),
      agent,
    }
    const send = (): ClientRequest => (url.protocol === 'https:' ? requestSecure : requestPlain)(url, sent)
    const answer = await answerTo(send(), body, bytesMax).catch((error: unknown) => {
      // the handshake failed, so nothing was sent yet
      if (isUnknownIssuer(error) && trustSystemStore()) return answerTo(send(), body, bytesMax)
      throw proxy === null ? error : new ThroughProxy(proxy, error)
    })
    if (answer.status >= 300 && answer.status < 400) {
      throw new Error(`the API answered ${answer.status}, a redirect`)
    }
    if (answer.status < 500 || isProblem(answer)) return answer
    throw new NoAnswer(`a server in front of the API answered ${answer.status}`)
  }
  return exchange
}

type Way = { agent: PlainAgent | SecureAgent; proxy: Proxy | null }

/** The agents of a process, each with its connections; created on demand. */
const createAgents = (environment: NonNullable<ExchangeOptions['environment']>): ((url: URL) => Way) => {
  const ways = new Map<string, Way>()
  return (url) => {
    const known = ways.get(url.origin)
    if (known !== undefined) return known
    const proxy = proxyOf(url, environment)
    if (proxy !== null && !canProxy) {
      throw new Error(
        `${proxy.variable} needs Node.js 22.21, 24.5 or newer, and this is ${process.versions.node}`,
      )
    }
    const proxyEnv =
      proxy === null ? {} : { proxyEnv: { HTTP_PROXY: proxy.url.href, HTTPS_PROXY: proxy.url.href } }
    const options = { keepAlive: true, ...proxyEnv }
    const agent = url.protocol === 'https:' ? new SecureAgent(options) : new PlainAgent(options)
    const way = { agent, proxy }
    ways.set(url.origin, way)
    return way
  }
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
/** Agents of earlier versions ignore a proxy. */
const canProxy = major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21)

const isProblem = ({ headers }: ExchangeAnswer): boolean =>
  (headers.get('content-type') ?? '').startsWith('application/problem+json')

const answerTo = (
  request: ClientRequest,
  body: string | undefined,
  bytesMax: number,
): Promise<ExchangeAnswer> =>
  new Promise((resolve, reject) => {
    request.on('error', reject)
    request.once('response', (response) => {
      readBody(response, bytesMax).then((text) => resolve(toAnswer(response, text)), reject)
    })
    request.end(body)
  })

/** @throws when the response breaks off or is larger than `bytesMax` */
const readBody = async (response: IncomingMessage, bytesMax: number): Promise<string> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > bytesMax) throw new Error(`the response is larger than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  if (response.headers['content-encoding'] !== 'gzip') return bytes.toString()
  // loaded on demand, to keep the provider's start fast
  const { gunzipSync } = await import('node:zlib')
  return gunzipSync(bytes, { maxOutputLength: bytesMax }).toString()
}

const toAnswer = ({ statusCode = 0, headers }: IncomingMessage, text: string): ExchangeAnswer => ({
  ok: statusCode >= 200 && statusCode < 300,
  status: statusCode,
  headers: {
    get: (name) => {
      const value = headers[name.toLowerCase()]
      return Array.isArray(value) ? value.join(', ') : (value ?? null)
    },
  },
  text: async () => text,
})

/** Codes of connections that failed or broke off and may work on a retry. */
const passingCodes = new Set<unknown>([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])
/** How deep a chain of causes is followed. */
const causesMax = 5

/** A response that is not from the API, such as a proxy's error page. */
class NoAnswer extends Error {
  override name = 'NoAnswer'
}

/** Whether a retry of the same request may succeed. */
export const isPassing = (error: unknown): boolean =>
  causesOf(error, causesMax).some(
    (cause) => cause instanceof NoAnswer || cause.name === 'TimeoutError' || passingCodes.has(codeOf(cause)),
  )

/**
 * Why there was no response, from the innermost cause. Never quotes the request or the response, as a JSON
 * syntax error would.
 * @throws a bug: an error that is neither the network's nor the server's
 */
export const whyUnanswered = (error: unknown): string => {
  const causes = causesOf(error, causesMax)
  const last = causes.findLast((cause) => !(cause instanceof SyntaxError))
  const isBug = error instanceof TypeError && error.cause === undefined
  if (last === undefined || isBug) throw error
  if (causes.some(({ name }) => name === 'TimeoutError')) return 'the request timed out'
  const code = codeOf(last)
  const way = causes.find((cause) => cause instanceof ThroughProxy)
  const through = way === undefined ? '' : `${way.message}: `
  if (isUnknownIssuer(error)) return `${through}${unknownIssuer} (${code})`
  return `${through}${last.message.includes(code) ? last.message : `${last.message} (${code})`}`
}

const unknownIssuer =
  'its certificate is from an issuer that this machine does not trust: add it to the certificates of this machine, or name a file with it in NODE_EXTRA_CA_CERTS'
