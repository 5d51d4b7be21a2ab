import type { Exchange } from '@probe-mesh/contracts/api/route-client'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createAsk, type Ask } from '../api/ask.ts'
import { createAskPublic, type AskPublic } from '../api/ask-public.ts'

/** In-process requests to the control plane: the input and output of `inject` of a Fastify app. */
export type Inject = (request: {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  url: string
  headers: Record<string, string>
  payload?: string
  remoteAddress: string
}) => Promise<{
  statusCode: number
  headers: Record<string, number | string | string[] | undefined>
  body: string
}>

/** Shares the session lookup among all requests for one page. */
export type OneVisit = <T>(work: () => Promise<T>) => Promise<T>

/** The headers that decide the identity, the address and the originating page of a visitor. */
const handedOn = [
  'cookie',
  'host',
  'origin',
  'sec-fetch-site',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
] as const

/**
 * Requests the API for a visitor, within this process. Every rule of the API (session, other sites' pages,
 * rates) holds for pages too, since they have no other way in. Cookies from the API go to the visitor.
 */
export const askFor = (inject: Inject, request: FastifyRequest, reply: FastifyReply): Ask =>
  createAsk(exchangeOf(inject, request, handedOn, (cookies) => reply.header('set-cookie', cookies)))

/** Requests public data without the visitor's identity, since a cached page is for everyone. */
export const askPublicFor = (inject: Inject, request: FastifyRequest): AskPublic =>
  createAskPublic(
    exchangeOf(
      inject,
      request,
      handedOn.filter((name) => name !== 'cookie'),
      () => {},
    ),
  )

/** No visitor has this address, so the site's own requests never count as theirs. */
const ownAddress = '0.0.0.0'

/**
 * Requests additional content of a page as the site itself, so that a page counts once for its visitor.
 * Callers cache the answers; otherwise the site's budget is soon exhausted.
 */
export const askAsSite = (inject: Inject): AskPublic =>
  createAskPublic(exchangeOf(inject, { headers: {}, socket: { remoteAddress: ownAddress } }, [], () => {}))

/** The forwarded parts of a request. */
type Sender = Pick<FastifyRequest, 'headers'> & { socket: { remoteAddress?: string | undefined } }

const exchangeOf = (
  inject: Inject,
  request: Sender,
  names: readonly string[],
  onCookies: (cookies: number | string | string[]) => void,
): Exchange => {
  const own: Record<string, string> = {}
  for (const name of names) {
    const value = request.headers[name]
    if (typeof value === 'string') own[name] = value
  }
  return async (url, { method, headers, body }) => {
    const answer = await inject({
      method: method as 'GET',
      url: url.pathname + url.search,
      headers: { ...headers, ...own },
      ...(body === undefined ? {} : { payload: body }),
      remoteAddress: request.socket.remoteAddress ?? '127.0.0.1',
    })
    const cookies = answer.headers['set-cookie']
    if (cookies !== undefined) onCookies(cookies)
    const { statusCode } = answer
    return {
      ok: statusCode >= 200 && statusCode < 300,
      status: statusCode,
      headers: {
        get: (name) => {
          const value = answer.headers[name.toLowerCase()]
          return value === undefined ? null : String(value)
        },
      },
      text: async () => answer.body,
    }
  }
}
