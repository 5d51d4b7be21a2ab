import { plainProblem } from '@probe-mesh/contracts/schema/plain-problem'
import { fieldProblems, refuse, toProblem, type Problem } from '@probe-mesh/contracts/schema/refusal'
import { TelemetryInput } from '@probe-mesh/contracts/telemetry/telemetry'
import { html } from '@probe-mesh/runtime/html'
import type { Ask } from '../../api/ask.ts'
import { confirmForm } from '../../html/components/confirm-form.ts'
import { emptyForm, type Typed } from '../../html/components/form.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import { telemetryBody, telemetryPage, telemetryPath } from './telemetry-page.ts'

const area = 'telemetry'

const shown = async (ask: Ask, again: { typed: Typed; problem: Problem } | null): Promise<Outcome> => {
  const answer = await ask('getTelemetry', {})
  if (!answer.ok) return refused(answer)
  const form = again === null ? emptyForm : refusedForm(again.typed, again.problem)
  return {
    kind: 'page',
    title: 'OpenTelemetry',
    area,
    about: 'Metrics and traces for where you already look.',
    status: again?.problem.status ?? 200,
    main: telemetryPage(answer.value, form),
  }
}

/** The push of metrics and traces by OTLP. */
export const telemetryRoutes: readonly MemberRoute[] = [
  get(telemetryPath, ({ ask }) => shown(ask, null)),
  post(telemetryPath, async ({ ask, form }) => {
    const typed: Typed = Object.fromEntries(form)
    const input = TelemetryInput.safeParse(telemetryBody(typed), { error: plainProblem })
    if (!input.success) {
      const problem = toProblem(refuse('SV-2001', { errors: fieldProblems(input.error) }))
      return shown(ask, { typed, problem })
    }
    const answer = await ask('updateTelemetry', { body: input.data })
    return answer.ok
      ? { kind: 'elsewhere', path: telemetryPath, done: 'telemetry-saved' }
      : shown(ask, { typed, problem: answer.problem })
  }),
  get(`${telemetryPath}/delete`, async () => {
    const main = html`<div data-dialog>
      <p>Nothing is pushed any more. The stored headers and the counts are deleted.</p>
      ${confirmForm({ action: `${telemetryPath}/delete`, button: 'End the push', cancel: telemetryPath })}
    </div>`
    return { kind: 'page', title: 'End the push?', area, main }
  }),
  post(`${telemetryPath}/delete`, async ({ ask }) => {
    const answer = await ask('deleteTelemetry', {})
    return answer.ok ? { kind: 'elsewhere', path: telemetryPath, done: 'telemetry-deleted' } : refused(answer)
  }),
]
