import type { AlertRule } from '@probe-mesh/contracts/alert/alert-rule'
import type { CheckName } from '@probe-mesh/contracts/check/check-list'
import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { selectField, textField, type FormState } from '../../html/components/form.ts'
import { named } from '../../html/measures.ts'
import { pauseEndFields } from './pause-end.ts'
import { html, type Html } from '@probe-mesh/runtime/html'

/** The actions that need a choice or a confirmation first. */
export const asked = {
  pause_until: { title: 'Pause until', button: 'Pause checks' },
  add_tag: { title: 'Tag checks', button: 'Add tag' },
  remove_tag: { title: 'Remove a tag', button: 'Remove tag' },
  publish: { title: 'Publish checks', button: 'Publish' },
  add_to_rule: { title: 'Add checks to an alert rule', button: 'Add to rule' },
  delete: { title: 'Delete checks', button: 'Delete checks and their history' },
} as const
export type AskedAct = keyof typeof asked

export const isAsked = (act: string): act is AskedAct => Object.hasOwn(asked, act)

/** Lists the selected checks and asks for the input of the action. */
export const bulkPage = (
  act: AskedAct,
  form: FormState,
  options: {
    checks: readonly CheckName[]
    back: string
    pages: readonly StatusPage[]
    rules: readonly AlertRule[]
    /** The zone of the member. */
    zone: string
  },
): Html => {
  const { checks, back, pages, rules, zone } = options
  const canAct = (act !== 'publish' || pages.length > 0) && (act !== 'add_to_rule' || rules.length > 0)
  return html`<form method="post" action="/dashboard/checks/bulk" class="card">
    <input type="hidden" name="back" value="${back}" />
    <input type="hidden" name="sure" value="yes" />
    ${checks.map(({ id }) => html`<input type="hidden" name="id" value="${id}" />`)}
    <p>${checks.length === 1 ? '1 check' : `${checks.length} checks`}:</p>
    <ul class="named-list">
      ${checks.map(({ id, name }) => html`<li><a href="/dashboard/checks/${id}">${named(name)}</a></li>`)}
    </ul>
    ${act === 'delete' && html`<p class="problems">Their readings, uptime, incidents and components are deleted with them. This cannot be undone.</p>`}
    <div class="fields">
      ${act === 'pause_until' && pauseEndFields(form, zone)}
      ${
        (act === 'add_tag' || act === 'remove_tag') &&
        textField(form, { name: 'tag', label: 'Tag', isRequired: true })
      }
      ${
        act === 'publish' &&
        selectField(form, {
          name: 'statusPageId',
          label: 'Status page',
          choices: pages.map(({ id, name }) => ({ value: id, label: name })),
        })
      }
      ${
        act === 'add_to_rule' &&
        (rules.length === 0
          ? html`<p>There is no alert rule yet. <a href="/dashboard/rules/new">Create a rule</a></p>`
          : selectField(form, {
              name: 'alertRuleId',
              label: 'Alert rule',
              choices: rules.map(({ id, name }) => ({ value: id, label: name })),
            }))
      }
    </div>
    <p class="actions">
      ${
        canAct &&
        html`<button class="${act === 'delete' ? 'danger' : 'primary'}" name="act" value="${act}">
          ${asked[act].button}
        </button>`
      }
      <a class="button" href="${back}">Cancel</a>
    </p>
  </form>`
}

/** The unchanged checks, each with the reason. */
export const bulkResultPage = (
  refusals: readonly { checkId: string; message: string }[],
  { changed, names, back }: { changed: number; names: ReadonlyMap<string, string>; back: string },
): Html => html`
  <p>${changed} changed. ${refusals.length} stayed as they were:</p>
  <ul>
    ${refusals.map(
      ({ checkId, message }) =>
        html`<li>
          <a href="/dashboard/checks/${checkId}">${named(names.get(checkId) ?? checkId)}</a>: ${message}
        </li>`,
    )}
  </ul>
  <p class="actions"><a class="button" href="${back}">Back to the checks</a></p>
`
