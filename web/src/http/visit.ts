import type { Exchange } from '@probe-mesh/contracts/api/route-client'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createAsk } from '../api/ask.ts'
import type { Ask } from '../api/ask.ts'
import { createAskPublic } from '../api/ask-public.ts'
import type { AskPublic } from '../api/ask-public.ts'

/** How the control plane is asked without a port: what `inject` of a Fastify app takes and gives. */
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

/** Runs all that is asked for one request, so that who asks need not be looked up each time. */
export type OneVisit = <T>(work: () => Promise<T>) => Promise<T>

/** Of a visitor's request, what decides who asks, from where, and from whose page. */
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
 * Asks in a visitor's name, within this process: every rule of the API (session, other sites' pages,
 * rates) holds for pages too, since they have no other way in. A cookie that the API sets is the
 * visitor's.
 */
export const askFor = (inject: Inject, request: FastifyRequest, reply: FastifyReply): Ask =>
  createAsk(exchangeOf(inject, request, handedOn, (cookies) => reply.header('set-cookie', cookies)))

/** Asks what is said to everybody: as nobody in particular, since a page that is kept is for all. */
export const askPublicFor = (inject: Inject, request: FastifyRequest): AskPublic =>
  createAskPublic(
    exchangeOf(
      inject,
      request,
      handedOn.filter((name) => name !== 'cookie'),
      () => {},
    ),
  )

/** No visitor has it: what the site asks for itself is never counted as theirs. */
const ownAddress = '0.0.0.0'

/**
 * Asks what a page says besides what it is asked for: in the site's own name, so that a page counts
 * once for its visitor. What comes of it is kept for a moment, or the site's own budget is soon spent.
 */
export const askAsSite = (inject: Inject): AskPublic =>
  createAskPublic(exchangeOf(inject, { headers: {}, socket: { remoteAddress: ownAddress } }, [], () => {}))

/** What of a request is handed on. */
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
