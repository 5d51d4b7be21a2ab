import { isRefusal } from '@probe-mesh/contracts/refusal'
import { ConfirmLoginLinkInput } from '@probe-mesh/contracts/session'
import type { FastifyInstance } from 'fastify'
import { confirmLink } from '../login/confirm-link.ts'
import type { LoginContext } from '../login/context.ts'
import { withDeadline } from '../deadline.ts'
import { acceptForms, formBytesMax } from './form-body.ts'
import { sessionCookie } from './session-cookie.ts'
import { ownPagesHook, visitorOf } from './session-gate.ts'
import { sendPage } from './subscription-links.ts'
import { subscriptionPage } from './subscription-page.ts'

const path = '/login/link'
const answerMsMax = 10_000

/**
 * What a mailed login link opens. Programs that look into mail follow links, so a GET uses nothing
 * up: it shows a button, whose POST logs in.
 */
export const bindLinkPage = (app: FastifyInstance, login: LoginContext): void => {
  void app.register(async (scope) => {
    acceptForms(scope)
    scope.get(path, { onRequest: ownPagesHook }, (request, reply) => {
      const sent = ConfirmLoginLinkInput.safeParse(request.query)
      return sent.success
        ? sendPage(reply, buttonPage(sent.data.token))
        : sendPage(reply.code(404), noLinkPage('This is no login link.'))
    })
    const options = { bodyLimit: formBytesMax, onRequest: ownPagesHook }
    scope.post(path, options, async (request, reply) => {
      const sent = ConfirmLoginLinkInput.safeParse(request.body)
      if (!sent.success) return sendPage(reply.code(422), noLinkPage('This is no login link.'))
      const work = confirmLink(login, visitorOf(request), sent.data)
      const opened = await withDeadline(work, answerMsMax)
      if (isRefusal(opened)) {
        return sendPage(reply.code(opened.status), noLinkPage(opened.message))
      }
      const { token, owner } = opened
      const cookie = sessionCookie(token, owner.session.expiresAtMs, login.now())
      return reply.header('set-cookie', cookie).redirect('/', 303)
    })
  })
}

const buttonPage = (token: string): string =>
  subscriptionPage({
    heading: 'Log in to Probe Mesh',
    text: 'Press the button to log in. The link works once.',
    button: { label: 'Log in', action: path, fields: { token } },
  })

const noLinkPage = (text: string): string =>
  subscriptionPage({ heading: 'This link does not log in', text })
