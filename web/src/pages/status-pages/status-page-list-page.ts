import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { card } from '../../html/components/card.ts'
import { problemSummary, textField, type FormState } from '../../html/components/form.ts'
import { icon } from '../../html/components/icon.ts'
import { menu } from '../../html/components/menu.ts'
import { tag } from '../../html/components/tag.ts'
import { named } from '../../html/measures.ts'
import { stateWords } from '../../html/publish-words.ts'
import { html, type Html } from '@probe-mesh/runtime/html'

/** The hint below every slug field. */
export const slugHint = 'The end of the address: lower-case letters, digits and single hyphens.'

/** All status pages of the account, and the form of a new one. An account always has a page. */
export const statusPageListPage = (pages: readonly StatusPage[], form: FormState): Html => html`
  <table class="rows page-rows">
    <caption class="unseen">
      Status pages
    </caption>
    <thead>
      <tr>
        <th scope="col">Page</th>
        <th scope="col">State</th>
        <th scope="col" class="number">Components</th>
        <th scope="col">Public address</th>
        <th scope="col" class="more"><span class="unseen">Actions</span></th>
      </tr>
    </thead>
    <tbody>
      ${pages.map(pageRow)}
    </tbody>
  </table>
  ${card(
    { id: 'create', title: 'Create status page' },
    html`${problemSummary(form, ['name', 'slug'])}
      <form method="post" action="/dashboard/pages">
        <div class="fields">
          ${textField(form, { name: 'name', label: 'Name', isRequired: true })}
          ${textField(form, { name: 'slug', label: 'Slug', hint: slugHint, isRequired: true, autocomplete: 'off' })}
        </div>
        <p class="actions"><button class="primary" type="submit">Create status page</button></p>
      </form>`,
  )}
`

const pageRow = ({ id, name, state, componentCount, path }: StatusPage): Html => {
  const at = `/dashboard/pages/${id}`
  return html`<tr>
    <th scope="row"><a href="${at}">${named(name)}</a></th>
    <td class="state-cell">${tag(stateWords[state])}</td>
    <td class="number">${componentCount}</td>
    <td>
      <a href="${path}">${path}</a>
    </td>
    <td class="more">
      ${menu({ icon: 'more', label: `Actions of ${name}` }, [
        { text: 'Edit design', icon: 'edit', path: `${at}/edit` },
        { text: 'Publish checks', icon: 'plus', path: `${at}/publish` },
        { text: 'Delete page', icon: 'delete', path: `${at}/delete`, isDanger: true, isConfirmed: true },
      ])}
    </td>
  </tr>`
}

export const createPageAction: Html = html`<a class="button" href="#create"
  >${icon('plus')}Create status page</a
>`
