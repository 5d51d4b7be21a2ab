import type { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { longTextField, problemSummary, selectField, textField } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { checkSearch } from '../check-choice.ts'
import type { CheckChoices } from '../check-choice.ts'

const described = (form: FormState): Html =>
  longTextField(form, {
    name: 'description',
    label: 'Description',
    hint: 'What it is, for visitors; up to 1,000 characters. May be left empty.',
  })

/** @param choices of the checks that may be published and are not on the page yet */
export const publishPage = (
  { id }: StatusPage,
  choices: CheckChoices,
  { form, text }: { form: FormState; text: string },
): Html => {
  const path = `/dashboard/pages/${id}/publish`
  if (choices.all === 0 && form.message === null && form.problems.length === 0) {
    return html`<p>
        Every check that can be published is on the page. A check that is bound to your own agent is private
        and cannot be published.
      </p>
      <p><a href="/dashboard/pages/${id}">Back to the page</a></p>`
  }
  return html`
    ${problemSummary(form, ['checkId', 'displayName', 'description'])}
    ${checkSearch(choices, { path, text, query: {} })}
    <form method="post" action="${path}">
      <input type="hidden" name="q" value="${text}" />
      <div class="fields">
        ${selectField(form, { name: 'checkId', label: 'Check', hint: 'Private checks, and those that the page publishes already, are not offered.', choices: choices.choices })}
        ${textField(form, { name: 'displayName', label: 'Shown as', hint: 'Left empty, the name of the check.' })}
        ${described(form)}
      </div>
      <p class="actions">
        <button class="primary" type="submit">Publish</button>
        <a href="/dashboard/pages/${id}">Do not</a>
      </p>
    </form>
  `
}

export const componentPage = (component: Component, form: FormState): Html => {
  const page = `/dashboard/pages/${component.statusPageId}`
  return html`
    <p>It publishes <a href="/dashboard/checks/${component.checkId}">this check</a>.</p>
    ${problemSummary(form, ['displayName', 'description'])}
    <form method="post" action="${page}/components/${component.id}">
      <div class="fields">
        ${textField(form, { name: 'displayName', label: 'Shown as', isRequired: true })} ${described(form)}
      </div>
      <p class="actions">
        <button class="primary" type="submit">Save</button>
        <a href="${page}">Leave it as it is</a>
      </p>
    </form>
  `
}

/** Unpublishing a check, which keeps running (S-1707). */
export const unpublishPage = ({ id, statusPageId, displayName }: Component): Html => html`
  <p>
    <bdi>${displayName}</bdi> is not shown on the page any more, and who subscribed to it alone gets no more
    mail: those subscriptions are gone. The check runs on, and its history stays.
  </p>
  <form method="post" action="/dashboard/pages/${statusPageId}/components/${id}/unpublish">
    <p class="actions">
      <button class="danger" type="submit">Unpublish it</button>
      <a href="/dashboard/pages/${statusPageId}">Keep it</a>
    </p>
  </form>
`
