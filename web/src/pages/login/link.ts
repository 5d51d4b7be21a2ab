import { Token } from '@probe-mesh/contracts/account/session'
import { refused, type Outcome } from '../outcome.ts'
import type { PlainRoute } from '../page-route.ts'
import { home } from './next-path.ts'
import { html, type Html } from '@probe-mesh/runtime/html'

/** @param path where the form goes */
const loginButton = (path: string, token: string): Html => html`
  <p>This link works once.</p>
  <form method="post" action="${path}">
    <input type="hidden" name="token" value="${token}" />
    <p class="actions"><button class="primary" type="submit">Log in</button></p>
  </form>
`

/** @param message why the link does nothing */
const noLogin = (message: string): Html => html`
  <p>${message}</p>
  <p class="actions"><a class="button primary" href="/login">Log in another way</a></p>
`

const path = '/login/link'

const refusedLink = (status: number, message: string): Outcome => ({
  kind: 'plain',
  title: 'This link does not work',
  status,
  main: noLogin(message),
})

const noLink = 'This is not a login link.'

/**
 * What a mailed login link opens. Programs that look into mail follow links, so a GET uses nothing up:
 * it shows a button, whose POST logs in.
 */
export const loginLinkRoutes: readonly PlainRoute[] = [
  {
    method: 'GET',
    path,
    serve: async ({ query }) => {
      const token = Token.safeParse(query.get('token'))
      if (!token.success) return refusedLink(404, noLink)
      return { kind: 'plain', title: 'Log in to Probe Mesh', main: loginButton(path, token.data) }
    },
  },
  {
    method: 'POST',
    path,
    serve: async ({ ask, form }) => {
      const answer = await ask('confirmLoginLink', { body: { token: form.get('token') ?? '' } })
      if (answer.ok) return { kind: 'elsewhere', path: home }
      const { status, code, message } = answer.problem
      if (code === 'SV-1008') return refusedLink(status, message)
      return code === 'SV-2001' ? refusedLink(status, noLink) : refused(answer)
    },
  },
]
