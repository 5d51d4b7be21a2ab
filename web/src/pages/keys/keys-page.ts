import type { CreatedKey, Key } from '@probe-mesh/contracts/account/api-key'
import { problemSummary, radioField, textField } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { named, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { keyPlaceholder } from './client-configs.ts'
import type { ClientUrls } from './client-configs.ts'
import { clientSection, copyable } from './client-section.ts'

const scopes: Readonly<Record<Key['scope'], string>> = {
  read: 'read',
  read_write: 'read and write',
}

/** Every key of the account, revoked ones included, and the form that makes another. */
export const keysPage = (
  keys: readonly Key[],
  form: FormState,
  { tier, urls }: { tier: string; urls: ClientUrls },
): Html => html`
  <p>
    A key is for the REST API, the command line, Terraform and MCP clients. It is shown once, when it is made.
  </p>
  ${
    keys.length === 0
      ? html`<p>There is no key yet.</p>`
      : table(
          'Keys',
          [
            { heading: 'Name', cell: ({ name }) => named(name) },
            { heading: 'Key', cell: ({ hint }) => html`<code>${hint}</code>` },
            { heading: 'May', cell: ({ scope }) => scopes[scope] },
            { heading: 'Made', cell: ({ createdAt }) => time(createdAt) },
            { heading: 'Revoked', cell: ({ revokedAt }) => time(revokedAt) },
            {
              heading: 'Act',
              cell: ({ id, name, revokedAt }) =>
                revokedAt === null &&
                html`<a href="/dashboard/keys/${id}/revoke">Revoke<span class="unseen"> ${name}</span></a>`,
            },
          ],
          keys,
        )
  }
  <h2>Make a key</h2>
  ${problemSummary(form, ['name', 'scope'])}
  <form method="post" action="/dashboard/keys">
    <div class="fields">
      ${textField(form, { name: 'name', label: 'Name', hint: 'Where it will be used, such as ci or my laptop.', isRequired: true })}
      ${radioField(form, {
        name: 'scope',
        label: 'What it may do',
        hint: tier === 'free' ? 'A free account makes keys that read. Growth and Scale make both.' : '',
        fallback: 'read',
        choices: [
          { value: 'read', label: 'Read' },
          ...(tier === 'free' ? [] : [{ value: 'read_write', label: 'Read and write' }]),
        ],
      })}
    </div>
    <p class="actions"><button class="primary" type="submit">Make the key</button></p>
  </form>
  <p>
    How a client is told of a key is below, with <code>${keyPlaceholder}</code> where the key belongs. Whoever
    makes one is shown the same with the key in it, once.
  </p>
  ${clientSection(urls, { key: keyPlaceholder, tier })}
`

/** The only time that a key is shown, with what every client is told of it. */
export const madeKeyPage = (
  { apiKey, key }: CreatedKey,
  { tier, urls }: { tier: string; urls: ClientUrls },
): Html => html`
  <p class="done">The key <bdi>${key.name}</bdi> was made. It is not shown again: copy it now.</p>
  ${copyable(apiKey, 'the key')}
  <p><a class="button" href="/dashboard/keys">I have copied it</a></p>
  ${clientSection(urls, { key: apiKey, tier })}
`

export const revokePage = ({ id, name, hint }: Key): Html => html`
  <p>
    The key <bdi>${name}</bdi> (<code>${hint}</code>) stops working within five seconds. Whoever uses it is
    refused from then on, and it cannot be made to work again: a new key is another one.
  </p>
  <form method="post" action="/dashboard/keys/${id}/revoke">
    <p class="actions">
      <button class="danger" type="submit">Revoke the key</button>
      <a href="/dashboard/keys">Keep it</a>
    </p>
  </form>
`
