import type { Ask } from '../../api/ask.ts'
import { emptyForm } from '../../html/components/form.ts'
import { home } from '../login/next-path.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { plainGet, plainPost, type PlainRoute } from '../page-route.ts'
import { confirmPage, linkMailed, signUpPage } from './sign-up-page.ts'

const title = 'Create an account'
const sentPath = '/signup/sent'

const submit = async (ask: Ask, form: URLSearchParams): Promise<Outcome> => {
  const answer = await ask('getSignUp', {})
  if (!answer.ok) return refused(answer)
  const { mode } = answer.value
  if (mode === 'closed') {
    return { kind: 'plain', title, status: 403, main: signUpPage(mode, emptyForm) }
  }
  const typed = { email: form.get('email') ?? '', accountName: form.get('accountName') ?? '' }
  const { email } = typed
  const asked =
    mode === 'by_mail'
      ? await ask('requestSignUp', { body: { email } })
      : await ask('signUp', { body: { ...typed, password: form.get('password') ?? '' } })
  if (!asked.ok) {
    const main = signUpPage(mode, refusedForm(typed, asked.problem))
    return { kind: 'plain', title, status: asked.problem.status, main }
  }
  return { kind: 'elsewhere', path: mode === 'by_mail' ? sentPath : home }
}

/** Opens an account: by a mailed link, or with a password at once without a mail server. */
export const signUpRoutes: readonly PlainRoute[] = [
  plainGet('/signup', async ({ ask }) => {
    if ((await ask('getSession', {})).ok) return { kind: 'elsewhere', path: home }
    const answer = await ask('getSignUp', {})
    if (!answer.ok) return refused(answer)
    return { kind: 'plain', title, main: signUpPage(answer.value.mode, emptyForm) }
  }),
  plainPost('/signup', ({ ask, form }) => submit(ask, form)),
  plainGet(sentPath, async () => ({ kind: 'plain', title: 'Check your mail', main: linkMailed })),
  {
    method: 'GET',
    path: '/signup/confirm',
    // mail scanners follow links: opening the page uses nothing up
    serve: async ({ query }) => {
      const main = confirmPage(query.get('token') ?? '', emptyForm)
      return { kind: 'plain', title, main }
    },
  },
  plainPost('/signup/confirm', async ({ ask, form }) => {
    const token = form.get('token') ?? ''
    const accountName = form.get('accountName') ?? ''
    const password = form.get('password') ?? ''
    const answer = await ask('confirmSignUp', { body: { token, accountName, password } })
    if (answer.ok) return { kind: 'elsewhere', path: home }
    const { problem } = answer
    const main = confirmPage(token, refusedForm({ accountName }, problem))
    return { kind: 'plain', title, status: problem.status, main }
  }),
]
