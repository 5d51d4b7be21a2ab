import type { Alert } from '@probe-mesh/contracts/open-alert/open-alert'
import type { Asked } from '../../api/ask.ts'
import type { DoneWord } from '../../html/components/toast.ts'
import { refused, type Outcome, refusedForm } from '../outcome.ts'
import { post, type MemberRoute } from '../page-route.ts'
import { snoozeBody, snoozeChoices } from './snooze.ts'
import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import { html, type Html } from '@probe-mesh/runtime/html'
import { problemSummary, selectField, textField } from '../../html/components/form.ts'
import { named } from '../../html/measures.ts'

/** The form of a refused snooze again, with what was typed. @param zone of the member */
const snoozePage = (
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

/** Acts on open alerts, from the page of the check and from the overview. */
export const alertRoutes: readonly MemberRoute[] = [
  post('/dashboard/alerts/:id/acknowledge', async ({ ask, params, form }) => {
    const answer = await ask('acknowledgeAlert', { params: { id: params['id'] ?? '' } })
    return acted(answer, form, 'alert-acknowledged')
  }),
  post('/dashboard/alerts/:id/snooze', async ({ ask, params, form, zone }) => {
    const body = snoozeBody(form, { nowMs: Date.now(), zone })
    const id = params['id'] ?? ''
    const answer = await ask('snoozeAlert', { params: { id }, body })
    if (!answer.ok && answer.problem.errors.length > 0) {
      const checkId = form.get('checkId') ?? ''
      const open = await ask('listAlerts', { query: { checkId, limit: 1 } })
      const alert = open.ok ? open.value.alerts.find((each) => each.id === id) : undefined
      if (alert === undefined) return refused(answer)
      const { problem } = answer
      const main = snoozePage(alert, { form, problem, zone })
      return { kind: 'page', title: 'Snooze an alert', area: 'checks', status: problem.status, main }
    }
    return acted(answer, form, 'alert-snoozed')
  }),
  post('/dashboard/alerts/:id/resolve', async ({ ask, params, form }) => {
    const answer = await ask('resolveAlert', { params: { id: params['id'] ?? '' } })
    return acted(answer, form, 'alert-resolved')
  }),
]

const acted = (answer: Asked<Alert>, form: URLSearchParams, done: DoneWord): Outcome => {
  if (!answer.ok) return refused(answer)
  const path =
    form.get('from') === 'overview' ? '/dashboard' : `/dashboard/checks/${answer.value.checkId}#alert`
  return { kind: 'elsewhere', path, done }
}
