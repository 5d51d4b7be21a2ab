import type { Secret } from '@probe-mesh/contracts/secret/secret'
import { html, type Html } from '@probe-mesh/runtime/html'
import { card } from '../../html/components/card.ts'
import {
  longTextField,
  problemSummary,
  textField,
  type FormState,
  type Typed,
} from '../../html/components/form.ts'
import { withoutEnd } from '@probe-mesh/runtime/without-end'

export const secretsPath = '/dashboard/secrets'
const names = ['name', 'value', 'hosts']

/** What was typed, but for the value: a refused form does not send it back. Pure. */
export const withoutValue = (typed: Typed): Typed => ({ ...typed, value: undefined })

/** Hosts from lines or commas, in lower case. Pure. */
const hostsIn = (text: string | undefined): string[] =>
  (text ?? '')
    .split(/[\s,]+/)
    .map((host) => host.toLowerCase())
    .filter((host) => host !== '')

/** A value as it was pasted, without the line break that a copied line ends with. Pure. */
const valueIn = (text: string | undefined): string => withoutEnd((text ?? '').replace(/\r\n/g, '\n'), '\n')

/** The input of a new secret. */
export const newSecretBody = (typed: Typed) => ({
  name: typed['name']?.trim() ?? '',
  value: valueIn(typed['value']),
  hosts: hostsIn(typed['hosts']),
})

/** The input of a change: an empty value keeps the stored one. */
export const changedSecretBody = (typed: Typed) => {
  const value = valueIn(typed['value'])
  return { hosts: hostsIn(typed['hosts']), ...(value !== '' && { value }) }
}

/** @param secret null for a new one */
export const secretForm = (secret: Secret | null, form: FormState): Html => {
  const path = secret === null ? secretsPath : `${secretsPath}/${secret.id}`
  return html`${problemSummary(form, names)}
    <form method="post" action="${path}">
      ${card(
        {
          id: 'settings',
          title: 'Secret',
          about: 'Encrypted, never shown again, and sent to its hosts only.',
        },
        html`<div class="fields">
          ${
            secret === null &&
            textField(form, {
              name: 'name',
              label: 'Name',
              hint: 'Letters, digits and underscores, such as shop_token. Checks use {{ secret.shop_token }}.',
              isRequired: true,
              autocomplete: 'off',
            })
          }
          ${longTextField(form, {
            name: 'value',
            label: secret === null ? 'Value' : 'New value',
            hint:
              secret === null
                ? 'At least 6 characters.'
                : 'Leave empty to keep the stored value. Further hosts need it again.',
            rows: 3,
            isRequired: secret === null,
          })}
          ${longTextField(form, {
            name: 'hosts',
            label: 'Hosts',
            hint: 'One per line, such as api.example.com, *.example.com or api.example.com:8443.',
            rows: 3,
            fallback: secret?.hosts.join('\n') ?? '',
            isRequired: true,
          })}
        </div>`,
      )}
      <p class="actions">
        <button class="primary" type="submit">${secret === null ? 'Create secret' : 'Save secret'}</button>
        <a href="${secretsPath}">Cancel</a>
      </p>
    </form>`
}
