import { loginRoutes, ownSessionRoutes } from '@probe-mesh/contracts/account/login-routes'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { InputOf } from '@probe-mesh/contracts/schema/route'
import type { Route } from '@probe-mesh/contracts/api/routes'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { changePassword } from './change-password.ts'
import type { LoginContext } from './context.ts'
import type { Visitor } from './visitor.ts'
import { describeLogin, endSession } from './sessions.ts'
import { logIn } from './log-in.ts'
import { openSession, type OpenedSession } from './open-session.ts'
import { acceptInvitation, readInvitation } from './accept-invitation.ts'
import { requestLink } from './request-link.ts'
import { requestSignUp } from './request-sign-up.ts'
import { confirmSignUp, signUp } from './sign-up.ts'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { parseInput, type ParsedInput } from '../http/parse-input.ts'
import { sendJson } from '../http/send-json.ts'
import { sendRefusal } from '../http/send-refusal.ts'
import { browserCookie, noSessionCookie, sessionCookie } from './cookies.ts'
import { ownPagesHook, sessionHook, sessionOwnerOf, visitorOf, type SessionGate } from './session-gate.ts'
import type { ConfirmLoginLinkInput } from '@probe-mesh/contracts/account/session'
import { consumeLoginLink } from './login-links-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import { confirmUser, lockUser } from './users-store.ts'
import { tokenHash } from './token.ts'

/**
 * Opens a session by a mailed link, which works once. SV-1008 for an invalid link. Attempts are not counted,
 * so that a link works after too many wrong passwords.
 */
const confirmLink = (
  context: Pick<LoginContext, 'sql' | 'now' | 'marks'>,
  visitor: Visitor,
  { token }: ConfirmLoginLinkInput,
): Promise<OpenedSession | Refusal> =>
  transact(context.sql, async (tx) => {
    const link = await consumeLoginLink(tx, tokenHash(token), context.now())
    const user = link === null ? null : await lockUser(tx, link.userId)
    if (user === null) return refuse('SV-1008', { message: noLink })
    await confirmUser(tx, user.id, context.now())
    const how = { action: 'logInByLink', openedBy: 'link' } as const
    return openSession(tx, context, user, visitor, how)
  })

const noLink = 'This login link is used or expired. Request a new one.'

/** Includes the queue for password hashes. */
const loginMsMax = 15_000

/** The answer of a route, with its cookies. */
type Answer = { output: unknown; cookies?: string[] }
type Handler<R> = (
  login: LoginContext,
  request: FastifyRequest,
  input: InputOf<R>,
) => Promise<Answer | Refusal>
type Handlers<T> = { readonly [N in keyof T]: Handler<T[N]> }

const opened = ({ now }: LoginContext, result: OpenedSession | Refusal): Answer | Refusal => {
  if (isRefusal(result)) return result
  const { token, owner } = result
  const session = sessionCookie(token, owner.session.expiresAtMs, now())
  return { output: describeLogin(owner), cookies: [session, browserCookie(result.browserCookie)] }
}

const loginHandlers: Handlers<typeof loginRoutes> = {
  logIn: async (login, request, { body }) =>
    opened(login, await logIn(login, visitorOf(request, login), body)),
  requestLoginLink: async (login, request, { body }) => {
    return { output: await requestLink(login, visitorOf(request, login), body) }
  },
  confirmLoginLink: async (login, request, { body }) =>
    opened(login, await confirmLink(login, visitorOf(request, login), body)),
  getSignUp: async ({ signUp }) => ({ output: { mode: signUp } }),
  requestSignUp: async (login, request, { body }) => {
    const requested = await requestSignUp(login, visitorOf(request, login), body)
    return isRefusal(requested) ? requested : { output: requested }
  },
  confirmSignUp: async (login, request, { body }) =>
    opened(login, await confirmSignUp(login, visitorOf(request, login), body)),
  signUp: async (login, request, { body }) =>
    opened(login, await signUp(login, visitorOf(request, login), body)),
  readInvitation: async (login, _request, { body }) => {
    const read = await readInvitation(login, body)
    return isRefusal(read) ? read : { output: read }
  },
  acceptInvitation: async (login, request, { body }) =>
    opened(login, await acceptInvitation(login, visitorOf(request, login), body)),
}

const ownSessionHandlers: Handlers<typeof ownSessionRoutes> = {
  changePassword: async (login, request, { body }) => {
    const owner = sessionOwnerOf(request)
    return opened(login, await changePassword(login, owner, visitorOf(request, login), body))
  },
  logOut: async (login, request) => {
    const owner = sessionOwnerOf(request)
    const what = { sessionId: owner.session.id, action: 'logOut' } as const
    const ended = await endSession(login, owner, visitorOf(request, login), what)
    return isRefusal(ended) ? ended : { output: ended, cookies: [noSessionCookie] }
  },
}

/** Binds the routes that open and end sessions. */
export const bindLogins = (app: FastifyInstance, prefix: string, gate: SessionGate): void => {
  const { login } = gate
  const bind = <T extends Record<string, Route>>(
    table: T,
    handlers: Handlers<T>,
    onRequest: (route: Route) => object[],
  ): void => {
    for (const [name, route] of Object.entries(table)) {
      const handle = handlers[name] as (
        login: LoginContext,
        request: FastifyRequest,
        input: ParsedInput,
      ) => Promise<Answer | Refusal>
      app.route({
        method: route.method,
        url: prefix + route.path,
        onRequest: onRequest(route) as never,
        handler: async (request, reply): Promise<FastifyReply> => {
          const input = parseInput(route, request)
          if (isRefusal(input)) return sendRefusal(reply, input)
          const answer = await withDeadline(handle(login, request, input), loginMsMax)
          if (isRefusal(answer)) return sendRefusal(reply, answer)
          for (const cookie of answer.cookies ?? []) reply.header('set-cookie', cookie)
          return sendJson(reply.code(route.success), JSON.stringify(answer.output))
        },
      })
    }
  }
  bind(loginRoutes, loginHandlers, () => [ownPagesHook])
  bind(ownSessionRoutes, ownSessionHandlers, (route) => [ownPagesHook, sessionHook(gate, route)])
}
