import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

/** @param path where the form goes */
export const loginButton = (path: string, token: string): Html => html`
  <p>Press the button to log in. The link works once.</p>
  <form method="post" action="${path}">
    <input type="hidden" name="token" value="${token}" />
    <p class="actions"><button class="primary" type="submit">Log in</button></p>
  </form>
`

/** @param message why the link does nothing */
export const noLogin = (message: string): Html => html`
  <p>${message}</p>
  <p><a href="/login">Log in otherwise, or ask for another link</a></p>
`
