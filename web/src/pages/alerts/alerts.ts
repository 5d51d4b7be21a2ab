import type { Alert } from '@probe-mesh/contracts/open-alert/open-alert'
import type { Asked } from '../../api/ask.ts'
import type { DoneWord } from '../../html/components/toast.ts'
import { refused, type Outcome } from '../outcome.ts'
import { post, type MemberRoute } from '../page-route.ts'
import { snoozePage } from './snooze-page.ts'
import { snoozeBody } from './snooze.ts'

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
