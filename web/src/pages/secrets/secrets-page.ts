import type { Secret } from '@probe-mesh/contracts/secret/secret'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { card, emptyState } from '../../html/components/card.ts'
import { confirmForm } from '../../html/components/confirm-form.ts'
import type { FormState } from '../../html/components/form.ts'
import { icon } from '../../html/components/icon.ts'
import { rowsTable } from '../../html/components/rows.ts'
import { named, time } from '../../html/measures.ts'
import { secretForm, secretsPath, type NamedAgent } from './secret-form.ts'

/** The most checks that a row names. */
export const namedUsersMax = 5

/** @param checkNames of the first checks of each secret, by id */
const usersOf = ({ usedBy }: Secret, checkNames: ReadonlyMap<string, string>): Piece => {
  if (usedBy.length === 0) return html`<span class="muted">no check</span>`
  const more = usedBy.length - namedUsersMax
  return html`${usedBy
    .slice(0, namedUsersMax)
    .map(
      (id, at) =>
        html`${at > 0 && ', '}<a href="/dashboard/checks/${id}">${named(checkNames.get(id) ?? id)}</a>`,
    )}${more > 0 && ` and ${more} more`}`
}

/** All secrets: where each may go, which private agents may open it, and which checks use it. */
export const secretsPage = (
  secrets: readonly Secret[],
  { checkNames, agents }: { checkNames: ReadonlyMap<string, string>; agents: readonly NamedAgent[] },
): Html => {
  const action = { path: `${secretsPath}/new`, text: 'New secret' }
  if (secrets.length === 0)
    return emptyState({
      icon: 'secret',
      title: 'No secrets yet',
      text: 'A check sends a secret as {{ secret.name }} in a header, a body or its credentials.',
      action,
    })
  return rowsTable(
    'Secrets',
    [
      {
        heading: 'Secret',
        cell: ({ id, name }) =>
          html`<a href="${secretsPath}/${id}">${named(name)}</a>
            <code class="target">{{ secret.${name} }}</code>`,
      },
      { heading: 'Sent to', cell: ({ hosts }) => html`<bdi>${hosts.join(', ')}</bdi>` },
      {
        heading: 'Private agents',
        cell: (secret) => {
          const named = agents.flatMap(({ id, name }) => (secret.agents.includes(id) ? [name] : []))
          return named.length === 0
            ? html`<span class="muted">none</span>`
            : html`<bdi>${named.join(', ')}</bdi>`
        },
      },
      { heading: 'Used by', cell: (secret) => usersOf(secret, checkNames) },
      { heading: 'Changed', cell: ({ updatedAt }) => time(updatedAt) },
      {
        heading: 'Actions',
        isActions: true,
        cell: ({ id, name }) =>
          html`<a
            class="button icon-only"
            href="${secretsPath}/${id}/delete"
            data-confirm
            aria-label="Delete ${name}"
            >${icon('delete')}</a
          >`,
      },
    ],
    secrets,
  )
}

/** One secret: the checks that use it, and its write-only form. */
export const secretPage = (
  secret: Secret,
  form: FormState,
  { checkNames, ...agents }: { checkNames: ReadonlyMap<string, string> } & Parameters<typeof secretForm>[2],
): Html => html`
  ${card(
    { id: 'used', title: 'Used by', about: 'They take a new value at once.' },
    html`<p>${usersOf(secret, checkNames)}</p>`,
  )}
  ${secretForm(secret, form, agents)}
`

/** The question before a secret is deleted; one in use cannot be. */
export const deleteSecretPage = (secret: Secret, checkNames: ReadonlyMap<string, string>): Html => {
  const { id, name, usedBy } = secret
  if (usedBy.length > 0)
    return html`<div data-dialog>
      <p>
        ${named(name)} is used by ${usersOf(secret, checkNames)}. Remove it from
        ${usedBy.length === 1 ? 'this check' : 'these checks'} first.
      </p>
      <p class="actions"><a class="button" href="${secretsPath}">Back</a></p>
    </div>`
  return html`<div data-dialog>
    <p>${named(name)} is deleted for good. No check uses it.</p>
    ${confirmForm({ action: `${secretsPath}/${id}/delete`, button: 'Delete secret', cancel: secretsPath })}
  </div>`
}
