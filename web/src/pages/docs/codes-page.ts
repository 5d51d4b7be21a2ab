import { refusals } from '@probe-mesh/contracts/schema/refusal'
import { table } from '../../html/components/table.ts'
import type { Assets } from '../../html/document.ts'
import { html } from '@probe-mesh/runtime/html'
import { docsPage } from './docs-page.ts'
import type { DocsSite } from './docs-site.ts'

/** Codes by subject, which is their thousands digit. */
const areas: Readonly<Record<string, string>> = {
  1: 'Access',
  2: 'Input',
  3: 'Resources',
  4: 'Plan',
  5: 'Targets',
  6: 'Budgets',
  9: 'Server',
}

/** Every refusal code of the API, the dashboard and the tools. */
export const codesPage = (assets: Assets, site: DocsSite): string => {
  const codes = Object.entries(refusals).map(([code, refusal]) => ({ code, ...refusal }))
  const parts = Object.entries(areas).map(([digit, title]) => ({
    id: title.toLowerCase(),
    title,
    rows: codes.filter(({ code }) => code.startsWith(`SV-${digit}`)),
  }))
  return docsPage(assets, site, {
    title: 'Error codes',
    description: 'Every code with which the API refuses, and what to do about it.',
    path: '/docs/errors',
    parts,
    main: html`<p class="lead">
        A refusal has one of these codes in <code>code</code>. A code never changes its meaning.
      </p>
      ${parts.map(
        ({ id, title, rows }) =>
          html`<section aria-labelledby="${id}">
            <h2 id="${id}">${title}</h2>
            ${table(
              `Codes: ${title}`,
              [
                { heading: 'Code', cell: ({ code }) => html`<code id="${code}">${code}</code>` },
                { heading: 'HTTP', cell: ({ status }) => status, isNumber: true },
                { heading: 'Title', cell: (row) => row.title },
                { heading: 'Meaning', cell: ({ message }) => message },
              ],
              rows,
            )}
          </section>`,
      )}
      <p class="muted">
        SV-2001 has status 400 for a body that is not JSON, and 413 for a body above 64 KB.
      </p>`,
  })
}
