import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import type { Alert } from '@probe-mesh/contracts/open-alert/open-alert'
import { html, type Html } from '@probe-mesh/runtime/html'
import { problemSummary, selectField, textField } from '../../html/components/form.ts'
import { named } from '../../html/measures.ts'
import { refusedForm } from '../outcome.ts'
import { snoozeChoices } from './snooze.ts'

/** The form of a refused snooze again, with what was typed. @param zone of the member */
export const snoozePage = (
  { id, checkId, checkName }: Alert,
  { form, problem, zone }: { form: URLSearchParams; problem: Problem; zone: string },
): Html => {
  const errors = problem.errors.map(({ path, message }) => ({
    path: path === 'until' ? 'for' : path,
    message,
  }))
  const typed = { for: form.get('for') ?? '', minutes: form.get('minutes') ?? '' }
  const state = refusedForm(typed, { ...problem, errors })
  return html`<p>The alert on ${named(checkName)} is not snoozed.</p>
    ${problemSummary(state, ['for', 'minutes'])}
    <form method="post" action="/dashboard/alerts/${id}/snooze">
      <input type="hidden" name="checkId" value="${checkId}" />
      <div class="fields">
        ${selectField(state, { name: 'for', label: 'Snooze', choices: snoozeChoices(zone) })}
        ${textField(state, {
          name: 'minutes',
          label: 'Or minutes',
          hint: '1 to 10080, which is 7 days. They count before the choice.',
          inputMode: 'numeric',
        })}
      </div>
      <p class="actions">
        <button class="primary" type="submit">Snooze</button>
        <a class="button" href="/dashboard/checks/${checkId}#alert">Back to the check</a>
      </p>
    </form>`
}
