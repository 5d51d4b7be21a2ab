import { z } from 'zod'
import type { Key } from '@probe-mesh/contracts/account/api-key'
import { problemSummary, radioField, textField, type FormState } from '../../html/components/form.ts'
import { confirmForm } from '../../html/components/confirm-form.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { named, time } from '../../html/measures.ts'
import { card, emptyState } from '../../html/components/card.ts'
import { rowsTable } from '../../html/components/rows.ts'
import { tag } from '../../html/components/tag.ts'
import { keyPlaceholder, type ClientUrls } from './client-configs.ts'
import { clientSection, copyable } from './client-section.ts'

const scopes: Readonly<Record<Key['scope'], string>> = {
  read: 'Read',
  read_write: 'Read and write',
}

/** Every key of the account, including revoked ones, and the form that creates one. */
export const keysPage = (
  keys: readonly Key[],
  form: FormState,
  { tier, urls }: { tier: string; urls: ClientUrls },
): Html => html`
  ${
    keys.length === 0
      ? emptyState({
          icon: 'key',
          title: 'No keys yet',
          text: 'A key gives programs and assistants access to this account.',
          action: { path: '#field-name', text: 'New key' },
        })
      : rowsTable(
          'Keys',
          [
            {
              heading: 'Key',
              cell: ({ name, hint }) =>
                html`<strong>${named(name)}</strong> <span class="target"><bdi>${hint}</bdi></span>`,
            },
            { heading: 'Scope', cell: ({ scope }) => scopes[scope] },
            {
              heading: 'State',
              cell: ({ revokedAt }) =>
                revokedAt === null
                  ? tag({ tone: 'good', text: 'Active' })
                  : html`${tag({ tone: 'silent', text: 'Revoked' })} ${time(revokedAt)}`,
            },
            { heading: 'Created', cell: ({ createdAt }) => time(createdAt) },
            {
              heading: 'Actions',
              isActions: true,
              cell: ({ id, name, revokedAt }) =>
                revokedAt === null &&
                html`<a class="button" href="/dashboard/keys/${id}/revoke" data-confirm
                  >Revoke<span class="unseen"> ${name}</span></a
                >`,
            },
          ],
          keys,
        )
  }
  ${card(
    { id: 'new', title: 'New key', about: 'The key is shown only once.' },
    html`${problemSummary(form, ['name', 'scope'])}
      <form method="post" action="/dashboard/keys">
        <div class="fields">
          ${textField(form, { name: 'name', label: 'Name', hint: 'Where it is used, such as ci or my laptop.', isRequired: true })}
          ${radioField(form, {
            name: 'scope',
            label: 'Scope',
            ...(tier === 'free' ? { hint: 'Read and write needs a Growth or Scale plan.' } : {}),
            fallback: 'read',
            choices: [
              { value: 'read', label: 'Read' },
              ...(tier === 'free' ? [] : [{ value: 'read_write', label: 'Read and write' }]),
            ],
          })}
        </div>
        <p class="actions"><button class="primary" type="submit">Create key</button></p>
      </form>`,
  )}
  ${clientSection(urls, { key: keyPlaceholder, tier })}
`

/** A new key, passed to the page that shows it. */
export const ShownKey = z.object({ apiKey: z.string(), name: z.string() })

/** The only page that shows a key, with the configuration of each client. */
export const madeKeyPage = (
  { apiKey, name }: z.infer<typeof ShownKey>,
  { tier, urls }: { tier: string; urls: ClientUrls },
): Html => html`
  <p class="done" role="status">Key <bdi>${name}</bdi> created. It is shown only once: copy it now.</p>
  ${copyable(apiKey, 'the key')}
  <p class="actions"><a class="button primary" href="/dashboard/keys">Done</a></p>
  ${clientSection(urls, { key: apiKey, tier })}
`

export const revokePage = ({ id, name, hint }: Key): Html =>
  html`<div data-dialog>
    <p>
      The key <bdi>${name}</bdi> (<code>${hint}</code>) stops working within 5 seconds. This cannot be undone.
    </p>
    ${confirmForm({ action: `/dashboard/keys/${id}/revoke`, button: 'Revoke key', cancel: '/dashboard/keys' })}
  </div>`
