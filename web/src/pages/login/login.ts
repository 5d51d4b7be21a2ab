import { emptyForm } from '../../html/form.ts'
import type { FormState } from '../../html/form.ts'
import { refusedForm } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { PlainRoute } from '../page-route.ts'
import { linkRequested, loginForm } from './login-page.ts'
import { nextPath } from './next-path.ts'

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
      if (answer.ok)
        return { kind: 'plain', title: 'Look into your mail', main: linkRequested(email) }
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
