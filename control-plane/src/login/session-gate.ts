import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Route } from '@probe-mesh/contracts/api/routes'
import { isOurOwn } from '@probe-mesh/contracts/target/same-site'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../accounts/operations/context.ts'
import type { LoginContext } from './context.ts'
import type { SessionOwner } from './sessions-store.ts'
import type { Visitor } from './visitor.ts'
import { findSession } from './find-session.ts'
import { networkOf, widerNetworksOf } from '@probe-mesh/contracts/target/network-of'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { addressOf } from '../http/gateway-trust.ts'
import { clearRequestMemo, memoized } from '../http/request-memo.ts'
import { sendRefusal } from '../http/send-refusal.ts'
import { browserCookieOf, noSessionCookie, sessionCookie, sessionTokenOf } from './cookies.ts'
import type { SessionRates } from './session-rates.ts'
import { ownWork } from '@probe-mesh/runtime/loop-watch'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the session gate; null on routes without it. */
    sessionOwner: SessionOwner | null
  }
}

export type SessionGate = { login: LoginContext; rates: SessionRates }

/** A slower look-up by an index counts as an unavailable database. */
const lookUpMsMax = 5_000

/**
 * Refuses requests from pages of other sites (SV-1009), on every route with a cookie, before all other
 * checks.
 */
export const ownPagesHook = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
  reply.header('cache-control', 'no-store')
  if (isOurOwn(request.method, request.headers)) done()
  else sendRefusal(reply, refuse('SV-1009'))
}

/**
 * A page calls several routes for one user. The session is read once for all reads, and again for each write.
 */
const lookUp = async (login: LoginContext, token: string, method: string) => {
  const find = () => withDeadline(findSession(login, token), lookUpMsMax)
  if (method !== 'GET') {
    clearRequestMemo()
    return find()
  }
  let isFirst = false
  const found = await memoized(`session ${token}`, () => {
    isFirst = true
    return find()
  })
  return found === null || isFirst ? found : { ...found, moved: false }
}

/** The next checks of every route of a session: login (SV-1007), suspended account (SV-1012), rate limits. */
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
    const retryAfterSeconds = rates.spend(session.userId, route.budget)
    if (retryAfterSeconds > 0) {
      const code = route.budget === 'reads' ? 'SV-6001' : 'SV-6002'
      sendRefusal(reply, refuse(code, { retryAfterSeconds }))
      return
    }
    request.sessionOwner = found.owner
  }

/** The session and its user, after a session gate. @throws if the route has no gate: a bug */
export const sessionOwnerOf = (request: FastifyRequest): SessionOwner => {
  if (request.sessionOwner === null) throw new Error(`${request.routeOptions.url} has no session gate`)
  return request.sessionOwner
}

/** The origin of a login request. */
export const visitorOf = (request: FastifyRequest, { marks }: Pick<LoginContext, 'marks'>): Visitor => {
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

/** The logged-in user as a caller of account operations, with the right to read and write. */
export const userOf = (request: FastifyRequest): Caller => {
  const { session, email, tier } = sessionOwnerOf(request)
  ownWork(session.accountId)
  return {
    accountId: session.accountId,
    tier,
    scope: 'read_write',
    keyId: session.id,
    keyName: email,
    loggedInAtMs: session.createdAtMs,
    actor: { kind: 'user', id: session.userId, name: email, address: addressOf(request) },
  }
}
