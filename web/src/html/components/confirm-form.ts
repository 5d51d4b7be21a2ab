import { html, type Html } from '@probe-mesh/runtime/html'

/**
 * The end of a confirmation page. islands/menus.js shows such a page in a dialog; Cancel closes it.
 * @param form.action the address to post to; `cancel`: the address of Cancel without a script
 */
export const confirmForm = (form: {
  action: string
  button: string
  cancel: string
  tone?: 'danger' | 'primary'
}): Html =>
  html`<form method="post" action="${form.action}">
    <p class="actions">
      <button class="${form.tone ?? 'danger'}" type="submit">${form.button}</button>
      <a class="button" href="${form.cancel}" data-cancel>Cancel</a>
    </p>
  </form>`
