import type { SignUpMode } from '@probe-mesh/contracts/account/session'
import { textField, type FormState } from '../../html/components/form.ts'
import { newPasswordField, problemNote } from '../../html/components/password-field.ts'
import { html, type Html } from '@probe-mesh/runtime/html'

const toLogin = html`<p class="card-end">Have an account? <a href="/login">Log in</a></p>`

const what = html`<p class="muted">Free: checks from every region, and a status page of your own.</p>`

/** The sign-up form; if sign-up is closed, the contact for an account. */
export const signUpPage = (mode: SignUpMode, form: FormState): Html => {
  if (mode === 'closed') {
    return html`
      <p>Sign-up is closed. Ask the operator for an account.</p>
      ${toLogin}
    `
  }
  const isMailed = mode === 'by_mail'
  return html`
    ${what} ${problemNote(form, isMailed ? ['email'] : ['email', 'accountName', 'password'])}
    <form method="post" action="/signup">
      <div class="fields">
        ${textField(form, {
          name: 'email',
          label: 'E-mail address',
          type: 'email',
          autocomplete: isMailed ? 'email' : 'username',
          isRequired: true,
          ...(isMailed ? { hint: 'We mail you a link that creates the account.' } : {}),
        })}
        ${!isMailed && chosenFields(form)}
      </div>
      <p class="actions">
        <button class="primary" type="submit">${isMailed ? 'Send link' : 'Create account'}</button>
      </p>
    </form>
    ${toLogin}
  `
}

const chosenFields = (form: FormState): Html => html`
  ${textField(form, { name: 'accountName', label: 'Account name', hint: 'Such as your company. It names your first status page.', autocomplete: 'organization', isRequired: true })}
  ${newPasswordField(form, { name: 'password', label: 'Password' })}
`

/** The page of the mailed link. @param token from the link; opening the page does not use it up */
export const confirmPage = (token: string, form: FormState): Html => html`
  ${problemNote(form, ['accountName', 'password'])}
  <form method="post" action="/signup/confirm">
    <input type="hidden" name="token" value="${token}" />
    <div class="fields">${chosenFields(form)}</div>
    <p class="actions"><button class="primary" type="submit">Create account</button></p>
  </form>
  <p class="card-end">Link too old? <a href="/signup">Request another</a></p>
`

/** The same whether or not the address already has an account. */
export const linkMailed: Html = html`
  <p>
    A mail is on its way. Its link works once, within a day. If you have an account already, the mail says so.
  </p>
  <p class="actions"><a class="button" href="/signup">Use another address</a></p>
`
