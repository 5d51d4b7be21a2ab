import type { SignUpMode } from '@probe-mesh/contracts/account/session'
import { problemSummary, textField } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

const toLogin = html`<p>You have an account? <a href="/login">Log in</a></p>`

const what = html`<p>
  A free account measures addresses from every region and has a status page of its own.
</p>`

/** The form as people sign up here; where nobody may, who to ask. */
export const signUpPage = (mode: SignUpMode, form: FormState): Html => {
  if (mode === 'closed') {
    return html`
      <p>Sign-up is closed. Ask the operator for an account.</p>
      ${toLogin}
      <p class="muted">SV-1011</p>
    `
  }
  const isMailed = mode === 'by_mail'
  return html`
    ${what} ${problemSummary(form, ['email', 'accountName', 'password'])}
    <form method="post" action="/signup">
      <div class="fields">
        ${textField(form, {
          name: 'email',
          label: 'E-mail address',
          type: 'email',
          autocomplete: isMailed ? 'email' : 'username',
          isRequired: true,
          ...(isMailed ? { hint: 'A link is mailed there, which opens the account.' } : {}),
        })}
        ${!isMailed && chosenFields(form)}
      </div>
      <p class="actions">
        <button class="primary" type="submit">${isMailed ? 'Send the link' : 'Open the account'}</button>
      </p>
    </form>
    ${toLogin}
  `
}

const chosenFields = (form: FormState): Html => html`
  ${textField(form, { name: 'accountName', label: 'Name of the account', hint: 'Such as your company. Your first status page is called the same.', autocomplete: 'organization', isRequired: true })}
  ${textField(form, { name: 'password', label: 'Password', type: 'password', hint: 'At least 12 characters.', autocomplete: 'new-password', isRequired: true })}
`

/** What the mailed link opens. @param token as the link has it: nothing was used up by opening it */
export const confirmPage = (token: string, form: FormState): Html => html`
  ${problemSummary(form, ['accountName', 'password'])}
  <form method="post" action="/signup/confirm">
    <input type="hidden" name="token" value="${token}" />
    <div class="fields">${chosenFields(form)}</div>
    <p class="actions"><button class="primary" type="submit">Open the account</button></p>
  </form>
  <p><a href="/signup">Ask for another link</a></p>
`

/** The same whether the address has an account already or not. */
export const linkMailed = (email: string): Html => html`
  <p>
    A mail is on its way to <bdi>${email}</bdi>. The link in it works once, for a day. If the address has an
    account already, the mail says so.
  </p>
  <p><a href="/signup">Another address</a></p>
`
