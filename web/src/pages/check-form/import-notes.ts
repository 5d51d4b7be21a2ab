import { html, type Html } from '@probe-mesh/runtime/html'

export const importPath = '/dashboard/checks/import'

/** What an import did beyond filling in a form. */
export type ImportNotes = {
  secrets: readonly { name: string; hosts: readonly string[] }[]
  warnings: readonly string[]
}

/** The secrets that an import stored, and what it left out. */
export const importNotes = ({ secrets, warnings }: ImportNotes): Html | null =>
  secrets.length === 0 && warnings.length === 0
    ? null
    : html`<div class="card" role="status">
        ${
          secrets.length > 0 &&
          html`<p>
              Stored as ${secrets.length === 1 ? 'a secret' : `${secrets.length} secrets`}, which the check
              sends to its host only. <a href="/dashboard/secrets">Secrets</a> has
              ${secrets.length === 1 ? 'it' : 'them'}, also if you do not create the check.
            </p>
            <ul>
              ${secrets.map(
                ({ name, hosts }) =>
                  html`<li><code>{{ secret.${name} }}</code> for <bdi>${hosts.join(', ')}</bdi></li> `,
              )}
            </ul>`
        }
        ${
          warnings.length > 0 &&
          html`<ul>
            ${warnings.map((warning) => html`<li><bdi>${warning}</bdi></li> `)}
          </ul>`
        }
      </div>`
