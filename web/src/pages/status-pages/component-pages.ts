import type { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { emptyState } from '../../html/components/card.ts'
import { longTextField, problemSummary, textField, type FormState } from '../../html/components/form.ts'
import { confirmForm } from '../../html/components/confirm-form.ts'
import { flag, html, type Html } from '@probe-mesh/runtime/html'
import { named } from '../../html/measures.ts'
import { checkSearch, type CheckChoices } from '../check-choice.ts'

const described = (form: FormState): Html =>
  longTextField(form, {
    name: 'description',
    label: 'Description',
    hint: 'Shown to visitors; up to 1,000 characters.',
  })

/**
 * @param choices the publishable checks that are not on the page yet
 * @param sent.chosen ids of the ticked checks
 */
export const publishPage = (
  { id }: StatusPage,
  choices: CheckChoices,
  { form, text, chosen }: { form: FormState; text: string; chosen: readonly string[] },
): Html => {
  const path = `/dashboard/pages/${id}/publish`
  if (choices.all === 0 && form.message === null && form.problems.length === 0) {
    return emptyState({
      icon: 'check',
      title: 'Every check is on the page',
      text: 'Checks that are bound to a private agent cannot be published.',
      action: { path: '/dashboard/checks/new', text: 'New check' },
    })
  }
  return html`
    ${problemSummary(form, ['checkId', 'displayName', 'description'])}
    ${checkSearch(choices, { path, text, query: {} })}
    <form method="post" action="${path}" class="card">
      <input type="hidden" name="q" value="${text}" />
      <fieldset class="plain-set" id="field-checkId">
        <legend>Checks</legend>
        <ul class="pick">
          ${choices.checks.map(
            ({ id: checkId, name, url, target }) =>
              html`<li>
                <label
                  ><input
                    type="checkbox"
                    name="checkId"
                    value="${checkId}"
                    ${flag('checked', chosen.includes(checkId))}
                  /><span
                    >${named(name)} <span class="muted">${named(url ?? target ?? '')}</span></span
                  ></label
                >
              </li>`,
          )}
        </ul>
      </fieldset>
      <details ${flag('open', form.typed['displayName'] !== undefined)}>
        <summary>Name and description of one check</summary>
        <div class="fields">
          ${textField(form, { name: 'displayName', label: 'Name on the page', hint: 'By default the name of the check.' })}
          ${described(form)}
        </div>
      </details>
      <p class="actions">
        <button class="primary" type="submit">Publish checks</button>
        <a class="button" href="/dashboard/pages/${id}">Cancel</a>
      </p>
    </form>
  `
}

export const componentPage = (component: Component, form: FormState): Html => {
  const page = `/dashboard/pages/${component.statusPageId}`
  return html`
    ${problemSummary(form, ['displayName', 'description'])}
    <form method="post" action="${page}/components/${component.id}" class="card">
      <div class="fields">
        ${textField(form, { name: 'displayName', label: 'Name on the page', isRequired: true })}
        ${described(form)}
      </div>
      <p class="actions">
        <button class="primary" type="submit">Save component</button>
        <a class="button" href="${page}">Cancel</a>
        <a href="/dashboard/checks/${component.checkId}">Open its check</a>
      </p>
    </form>
  `
}

/** Unpublishing a check, which keeps running (S-1707). */
export const unpublishPage = ({ id, statusPageId, displayName }: Component): Html =>
  html`<div data-dialog>
    <p>
      Visitors no longer see ${named(displayName)}, and its own subscriptions are deleted. The check runs on
      with its history.
    </p>
    ${confirmForm({ action: `/dashboard/pages/${statusPageId}/components/${id}/unpublish`, button: 'Remove component', cancel: `/dashboard/pages/${statusPageId}` })}
  </div>`
