import type { CheckName } from '@probe-mesh/contracts/check/check-list'
import {
  groupNameCharactersMax,
  type Component,
  type StatusPage,
} from '@probe-mesh/contracts/status-page/status-page'
import { emptyState } from '../../html/components/card.ts'
import { problemSummary, type FormState } from '../../html/components/form.ts'
import { icon } from '../../html/components/icon.ts'
import { menu } from '../../html/components/menu.ts'
import { tag } from '../../html/components/tag.ts'
import { named } from '../../html/measures.ts'
import { previewFrame } from '../../html/preview-frame.ts'
import { stateWords } from '../../html/publish-words.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { namesById } from '../check-names.ts'
import type { Row } from './arrangement.ts'

/** The components of a page in order, with moves and groups, and a preview. */
export const componentsPage = (
  page: StatusPage,
  {
    components,
    checks,
    rows,
    form,
  }: {
    components: readonly Component[]
    /** The checks of the components. */
    checks: readonly CheckName[]
    rows: readonly Row[]
    form: FormState
  },
): Html => {
  const at = `/dashboard/pages/${page.id}`
  const publish = { path: `${at}/publish`, text: 'Publish checks' }
  const none = emptyState({
    icon: 'status-page',
    title: 'No components yet',
    text: 'Publish checks to show their state on the page.',
    action: publish,
  })
  const byId = new Map(components.map((component) => [component.id, component]))
  const names = namesById(checks)
  let group = -1
  const orderCard = html` <section class="card" aria-labelledby="order">
    <div class="card-head">
      <h2 id="order">Order and groups</h2>
      <div class="card-actions">
        <a class="button" href="${publish.path}">${icon('plus')}${publish.text}</a>
      </div>
    </div>
    ${problemSummary(form, [])}
    <form method="post" action="${at}/arrange" data-module="/module#page-editor">
      <button type="submit" class="unseen" tabindex="-1" aria-hidden="true">Save order</button>
      <ol class="arrange">
        ${rows.map((row) => {
          if ('group' in row) return groupRow(row.group, (group += 1))
          const component = byId.get(row.component)
          return component === undefined ? null : componentRow(component, names.get(component.checkId), at)
        })}
      </ol>
      <template>${groupRow('', 0)}</template>
      <p class="actions">
        <input
          name="newGroup"
          aria-label="Name of the new group"
          placeholder="Group name"
          maxlength="${groupNameCharactersMax}"
          autocomplete="off"
        />
        <button type="submit" name="add" value="group">${icon('plus')}Add group</button>
      </p>
      <p class="actions">
        <button class="primary" type="submit">Save order</button>
        <button type="submit" formaction="${at}/preview" formtarget="_blank" formnovalidate data-preview>
          Preview in a new tab
        </button>
        <span class="muted" role="status" data-said></span>
      </p>
    </form>
  </section>`
  return html`<div class="split">
    ${components.length === 0 ? none : orderCard} ${previewFrame(`${at}/preview`)}
  </div>`
}

const groupRow = (name: string, number: number): Html =>
  html`<li class="group-row" data-row>
    <button type="button" class="icon-button grip" data-grip hidden aria-label="Move group">
      ${icon('grip')}
    </button>
    <input
      name="group"
      value="${name}"
      aria-label="Group name"
      placeholder="No group"
      maxlength="${groupNameCharactersMax}"
      autocomplete="off"
    />
    <button
      type="submit"
      class="icon-button"
      name="remove"
      value="${number}"
      title="Remove group"
      aria-label="Remove group"
    >
      ${icon('close')}
    </button>
  </li>`

const componentRow = ({ id, displayName, state }: Component, check: string | undefined, at: string): Html => {
  const move = (name: 'up' | 'down', text: string): Html =>
    html`<button
      type="submit"
      class="icon-button"
      name="${name}"
      value="${id}"
      aria-label="${text} ${displayName}"
      title="${text}"
    >
      ${icon(name)}
    </button>`
  return html`<li data-row>
    <input type="hidden" name="component" value="${id}" />
    <button type="button" class="icon-button grip" data-grip hidden aria-label="Move ${displayName}">
      ${icon('grip')}
    </button>
    <span class="arranged-name"
      ><strong>${named(displayName)}</strong
      >${check !== undefined && check !== displayName && html` <span class="muted">${named(check)}</span>`}</span
    >
    ${tag(stateWords[state])} ${move('up', 'Move up')} ${move('down', 'Move down')}
    ${menu({ icon: 'more', label: `Actions of ${displayName}` }, [
      { text: 'Edit name', icon: 'edit', path: `${at}/components/${id}` },
      {
        text: 'Remove from page',
        icon: 'delete',
        path: `${at}/components/${id}/unpublish`,
        isDanger: true,
        isConfirmed: true,
      },
    ])}
  </li>`
}
