import { Agent as PlainAgent, request as requestPlain } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as requestSecure } from 'node:https'
import type { Exchange, ExchangeAnswer } from '@probe-mesh/contracts/api/route-client'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import { causesOf } from '@probe-mesh/runtime/causes-of'

export type ExchangeBounds = { msMax: number; bytesMax: number }

/** The API answers within 15 s, whatever it is asked; 10,000 checks are 10 MB. */
const boundsDefault: ExchangeBounds = { msMax: 30_000, bytesMax: 128 * 1024 * 1024 }

/**
 * Requests over `node:http`, since `fetch` takes 75 ms to its first answer in a process that lives for
 * half a second. Every answer has its time and its size; none is followed elsewhere, where the key
 * would be sent with it; a proxy's word that the API is away is no answer.
 */
export const createExchange = ({ msMax, bytesMax } = boundsDefault): Exchange => {
  const plain = new PlainAgent({ keepAlive: true })
  const secure = new SecureAgent({ keepAlive: true })
  return async (url, { method, headers, body, signal }) => {
    const timeout = AbortSignal.timeout(msMax)
    const options = {
      method,
      headers: { ...headers, 'accept-encoding': 'gzip' },
      signal: signal === undefined ? timeout : anySignal([signal, timeout]),
    }
    const request =
      url.protocol === 'https:'
        ? requestSecure(url, { ...options, agent: secure })
        : requestPlain(url, { ...options, agent: plain })
    const answer = await answerTo(request, body, bytesMax)
    if (answer.status >= 300 && answer.status < 400) {
      throw new Error(`it answered ${answer.status}, and points elsewhere`)
    }
    if (answer.status < 500 || isProblem(answer)) return answer
    throw new NoAnswer(`it answered ${answer.status} without a problem of the API`)
  }
}

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

/** @throws where it breaks off, or is larger than any answer of the API */
const readBody = async (response: IncomingMessage, bytesMax: number): Promise<string> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > bytesMax) throw new Error(`the answer is larger than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  if (response.headers['content-encoding'] !== 'gzip') return bytes.toString()
  // loaded where it is needed: a start of the provider would wait for it
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

/** Codes of `fetch` for an exchange that broke off, or never began, and may do better in a moment. */
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
/** fetch failed, its cause, and the causes of that. */
const causesMax = 5

/** An answer that is not the API's: what stands before it says that it is away. */
class NoAnswer extends Error {
  override name = 'NoAnswer'
}

/** Whether sending the same once more makes sense. */
export const isPassing = (error: unknown): boolean =>
  causesOf(error, causesMax).some(
    (cause) =>
      cause instanceof NoAnswer ||
      cause.name === 'TimeoutError' ||
      ('code' in cause && passingCodes.has(cause.code)),
  )

/**
 * Why there was no answer, as the innermost cause has it; never what was sent, nor what came instead
 * of an answer, which a failed reading of JSON quotes.
 * @throws a bug: what is no failure of the network or of who answers
 */
export const whyUnanswered = (error: unknown): string => {
  const causes = causesOf(error, causesMax)
  const last = causes.findLast((cause) => !(cause instanceof SyntaxError))
  const isBug = error instanceof TypeError && error.cause === undefined
  if (last === undefined || isBug) throw error
  if (causes.some(({ name }) => name === 'TimeoutError')) return 'there was no answer in time'
  const code = 'code' in last ? String(last.code) : ''
  return last.message.includes(code) ? last.message : `${last.message} (${code})`
}
