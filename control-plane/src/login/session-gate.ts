import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Route } from '@probe-mesh/contracts/api/routes'
import { isOurOwn } from '@probe-mesh/contracts/target/same-site'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../operations/context.ts'
import type { LoginContext } from './context.ts'
import type { SessionOwner } from './sessions-store.ts'
import type { Visitor } from './visitor.ts'
import { findSession } from './find-session.ts'
import { networkOf, widerNetworksOf } from '@probe-mesh/contracts/target/network-of'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { browserCookieOf } from './browser-cookie.ts'
import { addressOf } from '../http/gateway-trust.ts'
import { forgetInVisit, onceAVisit } from '../http/one-visit.ts'
import { sendRefusal } from '../http/send-refusal.ts'
import { noSessionCookie, sessionCookie, sessionTokenOf } from './session-cookie.ts'
import type { SessionRates } from './session-rates.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the session gate; null on routes that have none. */
    sessionOwner: SessionOwner | null
  }
}

export type SessionGate = { login: LoginContext; rates: SessionRates }

/** A look-up by an index: longer means that the store is away. */
const lookUpMsMax = 5_000

/**
 * What every route that takes a cookie asks before anything else of the request is read: that it
 * does not come from a page of another site (SV-1009).
 */
export const ownPagesHook = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
): void => {
  reply.header('cache-control', 'no-store')
  if (isOurOwn(request.method, request.headers)) done()
  else sendRefusal(reply, refuse('SV-1009'))
}

/**
 * A page asks several routes in one visitor's name: who that is, is looked up once for all it reads,
 * and anew for whatever writes.
 */
const lookUp = async (login: LoginContext, token: string, method: string) => {
  const find = () => withDeadline(findSession(login, token), lookUpMsMax)
  if (method !== 'GET') {
    forgetInVisit()
    return find()
  }
  let isFirst = false
  const found = await onceAVisit(`session ${token}`, () => {
    isFirst = true
    return find()
  })
  return found === null || isFirst ? found : { ...found, moved: false }
}

/** What every route of a session asks next: who is logged in (SV-1007), whether
 * the account is suspended (SV-1012), and the session's rates. */
export const sessionHook =
  ({ login, rates }: SessionGate, route: Pick<Route, 'budget'>) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const token = sessionTokenOf(request.headers.cookie)
    const found = token === null ? null : await lookUp(login, token, request.method)
    if (found === null || token === null) {
      if (request.headers.cookie !== undefined) reply.header('set-cookie', noSessionCookie)
      sendRefusal(reply, refuse('SV-1007'))
      return
    }
    const { session, isSuspended } = found.owner
    if (isSuspended) {
      sendRefusal(reply, refuse('SV-1012'))
      return
    }
    if (found.moved) {
      reply.header('set-cookie', sessionCookie(token, session.expiresAtMs, login.now()))
    }
    const retryAfterSeconds = rates.take(session.userId, route.budget)
    if (retryAfterSeconds > 0) {
      const code = route.budget === 'reads' ? 'SV-6001' : 'SV-6002'
      sendRefusal(reply, refuse(code, { retryAfterSeconds }))
      return
    }
    request.sessionOwner = found.owner
  }

/** Who is logged in, behind a session gate. @throws where a route forgot its gate: a bug */
export const sessionOwnerOf = (request: FastifyRequest): SessionOwner => {
  if (request.sessionOwner === null)
    throw new Error(`${request.routeOptions.url} has no session gate`)
  return request.sessionOwner
}

/** Where a request to log in comes from. */
export const visitorOf = (
  request: FastifyRequest,
  { marks }: Pick<LoginContext, 'marks'>,
): Visitor => {
  const { cookie, 'user-agent': userAgent = '' } = request.headers
  const address = addressOf(request)
  const sent = browserCookieOf(cookie)
  const browser = sent === null ? null : marks.readBrowser(sent)
  return {
    address,
    network: networkOf(address),
    widerNetworks: widerNetworksOf(address),
    userAgent,
    token: sessionTokenOf(cookie),
    browserCookie: browser === null ? null : sent,
    browser,
  }
}

/** The user as the verbs of the account know callers: who is logged in may read and write. */
export const userOf = (request: FastifyRequest): Caller => {
  const { session, email, tier } = sessionOwnerOf(request)
  return {
    accountId: session.accountId,
    tier,
    scope: 'read_write',
    keyId: session.id,
    keyName: email,
    actor: { kind: 'user', id: session.userId, name: email, address: addressOf(request) },
  }
}
