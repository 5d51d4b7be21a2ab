import { emptyForm, problemSummary, textField } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { refusedForm } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { PlainRoute } from '../page-route.ts'
import { nextPath } from './next-path.ts'
import { attribute, html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

/** @param next where to go once logged in: a path of ours */
const loginForm = (form: FormState, next: string): Html => html`
  ${problemSummary(form, ['email', 'password'])}
  <form method="post" action="/login">
    <input type="hidden" name="next" value="${next}" />
    <div class="fields">
      ${textField(form, { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username', isRequired: true })}
      ${textField(form, { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', isRequired: true })}
    </div>
    <p class="actions"><button class="primary" type="submit">Log in</button></p>
  </form>
  <p>You have no account? <a href="/signup">Sign up</a></p>
  <h2>Without the password</h2>
  <p>A link that logs in once is sent to the address of your account.</p>
  <form method="post" action="/login/links">
    <div class="fields">
      <div class="field">
        <label for="link-email">E-mail address</label>
        <input
          id="link-email"
          name="email"
          type="email"
          autocomplete="username"
          required${attribute('value', form.typed['email'] ?? null)}
        />
      </div>
    </div>
    <p class="actions"><button type="submit">Send a link</button></p>
  </form>
`

/** The same whether anybody has the address or not. */
const linkRequested = (email: string): Html => html`
  <p>
    If an account has the address <bdi>${email}</bdi>, a link is on its way to it. It works once, for a
    quarter of an hour. If you asked several times, use a link that you already have: few are sent in a
    quarter of an hour.
  </p>
  <p><a href="/login">Back to the login</a></p>
`

const page = (form: FormState, next: string, status = 200): Outcome => ({
  kind: 'plain',
  title: 'Log in',
  status,
  main: loginForm(form, next),
})

/** Logging in by password, or by a mailed link; logging out. */
export const loginRoutes: readonly PlainRoute[] = [
  {
    method: 'GET',
    path: '/login',
    serve: async ({ ask, query }) => {
      const next = nextPath(query.get('next'))
      const who = await ask('getSession', {})
      return who.ok ? { kind: 'elsewhere', path: next } : page(emptyForm, next)
    },
  },
  {
    method: 'POST',
    path: '/login',
    serve: async ({ ask, form }) => {
      const next = nextPath(form.get('next'))
      const [email, password] = [form.get('email') ?? '', form.get('password') ?? '']
      const answer = await ask('logIn', { body: { email, password } })
      if (answer.ok) return { kind: 'elsewhere', path: next }
      return page(refusedForm({ email }, answer.problem), next, answer.problem.status)
    },
  },
  {
    method: 'POST',
    path: '/login/links',
    serve: async ({ ask, form }) => {
      const email = form.get('email') ?? ''
      const answer = await ask('requestLoginLink', { body: { email } })
      if (answer.ok) return { kind: 'plain', title: 'Look into your mail', main: linkRequested(email) }
      return page(refusedForm({ email }, answer.problem), nextPath(null), answer.problem.status)
    },
  },
  {
    method: 'POST',
    path: '/logout',
    serve: async ({ ask }) => {
      const answer = await ask('logOut', {})
      // who is not logged in any more wanted that
      return answer.ok || answer.problem.code === 'SV-1007'
        ? { kind: 'elsewhere', path: '/login' }
        : { kind: 'refused', ...answer }
    },
  },
]
