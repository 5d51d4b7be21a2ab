import { emptyForm, textField, type FormState } from '../../html/components/form.ts'
import { problemNote } from '../../html/components/password-field.ts'
import { refusedForm, type Outcome } from '../outcome.ts'
import { plainGet, plainPost, type PlainRoute } from '../page-route.ts'
import { nextPath } from './next-path.ts'
import { attribute, flag, html, type Html } from '@probe-mesh/runtime/html'

/** Where the form for a link leads, whether anybody has the address or not. */
const sentPath = '/login/sent'

/** @param next where to go once logged in: a path of ours @param linkForm of the second form */
const loginForm = (form: FormState, linkForm: FormState, next: string): Html => html`
  ${problemNote(form, ['email', 'password'])}
  <form method="post" action="/login">
    <input type="hidden" name="next" value="${next}" />
    <div class="fields">
      ${textField(form, { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username', isRequired: true })}
      ${textField(form, { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', isRequired: true })}
    </div>
    <p class="actions"><button class="primary" type="submit">Log in</button></p>
  </form>
  <details class="other-way" ${flag('open', linkForm !== emptyForm)}>
    <summary>Log in without the password</summary>
    <p class="hint">We mail you a link that logs you in once.</p>
    ${problemNote(linkForm, [])}
    <form method="post" action="/login/links">
      <div class="fields">
        <div class="field">
          <label for="link-email">E-mail address of your account</label>
          <input
            id="link-email"
            name="email"
            type="email"
            autocomplete="username"
            required${attribute('value', linkForm.typed['email'] ?? form.typed['email'] ?? null)}
          />
        </div>
      </div>
      <p class="actions"><button type="submit">Send login link</button></p>
    </form>
  </details>
  <p class="card-end">New here? <a href="/signup">Create an account</a></p>
`

const linkSent: Html = html`
  <p>If an account has this address, a login link is on its way. It works once, within 15 minutes.</p>
  <p class="muted">No mail? Few links are sent in 15 minutes. An earlier link still works.</p>
  <p class="actions"><a class="button" href="/login">Back to log in</a></p>
`

const page = (
  { form = emptyForm, linkForm = emptyForm }: { form?: FormState; linkForm?: FormState },
  next: string,
  status = 200,
): Outcome => ({
  kind: 'plain',
  title: 'Log in',
  status,
  main: loginForm(form, linkForm, next),
})

/** Logging in by password, or by a mailed link; logging out. */
export const loginRoutes: readonly PlainRoute[] = [
  plainGet('/login', async ({ ask, query }) => {
    const next = nextPath(query.get('next'))
    const who = await ask('getSession', {})
    return who.ok ? { kind: 'elsewhere', path: next } : page({}, next)
  }),
  plainPost('/login', async ({ ask, form }) => {
    const next = nextPath(form.get('next'))
    const [email, password] = [form.get('email') ?? '', form.get('password') ?? '']
    const answer = await ask('logIn', { body: { email, password } })
    if (answer.ok) return { kind: 'elsewhere', path: next }
    return page({ form: refusedForm({ email }, answer.problem) }, next, answer.problem.status)
  }),
  plainPost('/login/links', async ({ ask, form }) => {
    const email = form.get('email') ?? ''
    const answer = await ask('requestLoginLink', { body: { email } })
    if (answer.ok) return { kind: 'elsewhere', path: sentPath }
    return page({ linkForm: refusedForm({ email }, answer.problem) }, nextPath(null), answer.problem.status)
  }),
  plainGet(sentPath, async () => ({ kind: 'plain', title: 'Check your mail', main: linkSent })),
  plainPost('/logout', async ({ ask }) => {
    const answer = await ask('logOut', {})
    // who is not logged in any more wanted that
    return answer.ok || answer.problem.code === 'SV-1007'
      ? { kind: 'elsewhere', path: '/login' }
      : { kind: 'refused', ...answer }
  }),
]
