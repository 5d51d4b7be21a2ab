import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { problemSummary, textField } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { named } from '../../html/measures.ts'
import { stateWords } from '../../html/publish-words.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'

/** Said beside the field wherever a slug is chosen. */
export const slugHint =
  'The last part of its address, /status/my-product. Lower-case letters, digits and single hyphens; no two pages have the same one.'

/** Every status page of the account, and the form that makes another. */
export const statusPageListPage = (pages: readonly StatusPage[], form: FormState): Html => html`
  <p>A status page shows the checks that you publish on it to everybody, with incidents and maintenance.</p>
  ${table(
    'Status pages',
    [
      {
        heading: 'Name',
        cell: ({ id, name }) => html`<a href="/dashboard/pages/${id}">${named(name)}</a>`,
      },
      { heading: 'State', cell: ({ state }) => tag(stateWords[state]) },
      { heading: 'Components', isNumber: true, cell: ({ componentCount }) => componentCount },
      { heading: 'Public address', cell: ({ path }) => html`<a href="${path}">${path}</a>` },
    ],
    pages,
  )}
  <h2>Make a status page</h2>
  ${problemSummary(form, ['name', 'slug'])}
  <form method="post" action="/dashboard/pages">
    <div class="fields">
      ${textField(form, { name: 'name', label: 'Name', hint: 'What it is called here, and on the page where it has no title.', isRequired: true })}
      ${textField(form, { name: 'slug', label: 'Slug', hint: slugHint, isRequired: true, autocomplete: 'off' })}
    </div>
    <p class="actions"><button class="primary" type="submit">Make the page</button></p>
  </form>
`
