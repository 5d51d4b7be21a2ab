import type { ReadInvitation } from '@probe-mesh/contracts/account/members'
import { html, type Html } from '@probe-mesh/runtime/html'
import type { Ask } from '../../api/ask.ts'
import { emptyForm, textField, type FormState } from '../../html/components/form.ts'
import { newPasswordField, problemNote } from '../../html/components/password-field.ts'
import { home } from '../login/next-path.ts'
import { refusedForm, type Outcome } from '../outcome.ts'
import type { PlainRoute } from '../page-route.ts'

const path = '/invitation'

const invitationPage = (
  { accountName, email, invitedBy }: ReadInvitation,
  token: string,
  form: FormState,
): Html => html`
  <p>
    <bdi>${invitedBy}</bdi> invites you to the account <strong><bdi>${accountName}</bdi></strong
    >. You log in as <bdi>${email}</bdi>.
  </p>
  ${problemNote(form, ['name', 'password'])}
  <form method="post" action="${path}">
    <input type="hidden" name="token" value="${token}" />
    <div class="fields">
      ${textField(form, { name: 'name', label: 'Your name', hint: 'Other members see it.', autocomplete: 'name', isRequired: true })}
      ${newPasswordField(form, { name: 'password', label: 'Password' })}
    </div>
    <p class="actions"><button class="primary" type="submit">Accept invitation</button></p>
  </form>
`

/** @param message why the link does nothing */
const refusedLink = (status: number, message: string): Outcome => ({
  kind: 'plain',
  title: 'This invitation does not work',
  status,
  main: html`<p>${message}</p>
    <p class="actions"><a class="button" href="/login">Log in</a></p>`,
})

const show = async (ask: Ask, token: string, form: FormState, status = 200): Promise<Outcome> => {
  const answer = await ask('readInvitation', { body: { token } })
  if (answer.ok) {
    const main = invitationPage(answer.value, token, form)
    return { kind: 'plain', title: 'Accept invitation', status, main }
  }
  const { problem } = answer
  return problem.code === 'SV-2001'
    ? refusedLink(404, 'This is not an invitation link.')
    : refusedLink(problem.status, problem.message)
}

/** What the link of an invitation opens. Mail scanners follow links: opening the page uses nothing up. */
export const invitationRoutes: readonly PlainRoute[] = [
  { method: 'GET', path, serve: ({ ask, query }) => show(ask, query.get('token') ?? '', emptyForm) },
  {
    method: 'POST',
    path,
    serve: async ({ ask, form }) => {
      const token = form.get('token') ?? ''
      const name = form.get('name') ?? ''
      const body = { token, name, password: form.get('password') ?? '' }
      const answer = await ask('acceptInvitation', { body })
      if (answer.ok) return { kind: 'elsewhere', path: home }
      return show(ask, token, refusedForm({ name }, answer.problem), answer.problem.status)
    },
  },
]
