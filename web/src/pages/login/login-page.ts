import { problemSummary, textField } from '../../html/form.ts'
import type { FormState } from '../../html/form.ts'
import { attribute, html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

/** @param next where to go once logged in: a path of ours */
export const loginForm = (form: FormState, next: string): Html => html`
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
export const linkRequested = (email: string): Html => html`
  <p>
    If an account has the address <bdi>${email}</bdi>, a link is on its way to it. It works once,
    for a quarter of an hour. If you asked several times, use a link that you already have: few are
    sent in a quarter of an hour.
  </p>
  <p><a href="/login">Back to the login</a></p>
`
