import type { Secret } from '@probe-mesh/contracts/secret/secret'
import { html, type Html } from '@probe-mesh/runtime/html'
import type { PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import { card } from '../../html/components/card.ts'
import { choicesField } from '../../html/components/choices-field.ts'
import {
  longTextField,
  problemSummary,
  textField,
  type FormState,
  type Typed,
} from '../../html/components/form.ts'
import { withoutEnd } from '@probe-mesh/runtime/without-end'

export const secretsPath = '/dashboard/secrets'
const names = ['name', 'value', 'hosts', 'agents']

/** An agent that a secret may name. */
export type NamedAgent = Pick<PrivateAgent, 'id' | 'name'>

/** What was typed, but for the value: a refused form does not send it back. */
export const withoutValue = (typed: Typed): Typed => ({ ...typed, value: undefined })

/** Hosts from lines or commas, in lower case. */
const hostsIn = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map((host) => host.toLowerCase())
    .filter((host) => host !== '')

/** A value as it was pasted, without the line break that a copied line ends with. */
const valueIn = (text: string): string => withoutEnd(text.replace(/\r\n/g, '\n'), '\n')

/** A form without agents to choose from leaves them as they are. */
const agentsIn = (form: URLSearchParams) => (form.has('withAgents') ? { agents: form.getAll('agents') } : {})

/** The input of a new secret. */
export const newSecretBody = (form: URLSearchParams) => ({
  name: form.get('name')?.trim() ?? '',
  value: valueIn(form.get('value') ?? ''),
  hosts: hostsIn(form.get('hosts') ?? ''),
  ...agentsIn(form),
})

/** The input of a change: an empty value keeps the stored one. */
export const changedSecretBody = (form: URLSearchParams) => {
  const value = valueIn(form.get('value') ?? '')
  return { hosts: hostsIn(form.get('hosts') ?? ''), ...agentsIn(form), ...(value !== '' && { value }) }
}

/**
 * @param secret null for a new one
 * @param agents those that it may name, and the ids of those that are ticked
 */
export const secretForm = (
  secret: Secret | null,
  form: FormState,
  agents: { open: readonly NamedAgent[]; ticked: readonly string[] },
): Html => {
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
                : 'Leave empty to keep the stored value. Further hosts need it again, and so do further private agents unless you have just logged in.',
            rows: 3,
            isRequired: secret === null,
          })}
          ${longTextField(form, {
            name: 'hosts',
            label: 'Hosts',
            hint: 'One per line. api.example.com is https on port 443, api.example.com:8443 another port, http://api.example.com http, *.example.com each name below.',
            rows: 3,
            fallback: secret?.hosts.join('\n') ?? '',
            isRequired: true,
          })}
          ${
            agents.open.length > 0 &&
            html`<input type="hidden" name="withAgents" value="1" /> ${choicesField(form, {
                name: 'agents',
                label: 'Private agents',
                hint: 'They may open the secret for checks that they measure. The holder of an agent’s token can read the value. All members get a mail.',
                choices: agents.open.map(({ id, name }) => ({ value: id, label: name })),
                ticked: new Set(agents.ticked),
              })}`
          }
        </div>`,
      )}
      <p class="actions">
        <button class="primary" type="submit">${secret === null ? 'Create secret' : 'Save secret'}</button>
        <a href="${secretsPath}">Cancel</a>
      </p>
    </form>`
}
