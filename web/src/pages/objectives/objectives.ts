import { ObjectiveInput, type Objective } from '@probe-mesh/contracts/objective/objective'
import { plainProblem } from '@probe-mesh/contracts/schema/plain-problem'
import { fieldProblems, refuse, toProblem, type Problem } from '@probe-mesh/contracts/schema/refusal'
import { html } from '@probe-mesh/runtime/html'
import type { Ask } from '../../api/ask.ts'
import { confirmForm } from '../../html/components/confirm-form.ts'
import { emptyForm, type Typed } from '../../html/components/form.ts'
import { named } from '../../html/measures.ts'
import { askCheckChoices } from '../check-choice.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import { objectiveBody, objectiveForm } from './objective-form.ts'
import { objectivePage, objectivesPage } from './objectives-page.ts'

const list = '/dashboard/objectives'
const area = 'objectives'
const elsewhere = { kind: 'elsewhere', path: list } as const

const typedOf = ({
  name,
  target,
  windowDays,
  checkId,
  tag,
  latencyMsMax,
  alertRuleId,
}: Objective): Typed => ({
  name,
  target: String(target),
  windowDays: String(windowDays),
  checkId: checkId ?? '',
  tag: tag ?? '',
  latencyMsMax: latencyMsMax === null ? '' : String(latencyMsMax),
  alertRuleId: alertRuleId ?? '',
})

/** @param shown.id null: a new one. `typed` null: as it is stored */
const formPage = async (
  ask: Ask,
  shown: { id: string | null; typed: Typed | null; text: string; problem?: Problem },
): Promise<Outcome> => {
  const { id, text, problem } = shown
  const found = id === null ? null : await ask('getObjective', { params: { id } })
  if (found?.ok === false) return refused(found)
  const typed = shown.typed ?? (found === null ? {} : typedOf(found.value))
  const checks = await askCheckChoices(ask, { text, chosen: typed['checkId'] })
  if (!checks.ok) return refused(checks)
  const rules = await ask('listAlertRules', {})
  if (!rules.ok) return refused(rules)
  const form = problem === undefined ? { ...emptyForm, typed } : refusedForm(typed, problem)
  const main = objectiveForm({ id }, form, { ...checks.value, text }, rules.value.alertRules)
  const status = problem?.status ?? 200
  return found === null
    ? { kind: 'page', title: 'New objective', area, status, main }
    : { kind: 'page', title: found.value.name, area, status, main: objectivePage(found.value, main) }
}

/** @param id null creates it */
const save = async (ask: Ask, id: string | null, form: URLSearchParams): Promise<Outcome> => {
  const typed: Typed = Object.fromEntries(form)
  const again = (problem: Problem) => formPage(ask, { id, typed, text: '', problem })
  const input = ObjectiveInput.safeParse(objectiveBody(typed), { error: plainProblem })
  if (!input.success) return again(toProblem(refuse('SV-2001', { errors: fieldProblems(input.error) })))
  const answer =
    id === null
      ? await ask('createObjective', { body: input.data })
      : await ask('updateObjective', { params: { id }, body: input.data })
  if (answer.ok) return { kind: 'elsewhere', path: `${list}/${answer.value.id}`, done: 'objective-saved' }
  return answer.problem.status === 404 ? refused(answer) : again(answer.problem)
}

/** Service level objectives: listed, created, changed and deleted. */
export const objectiveRoutes: readonly MemberRoute[] = [
  get(list, async ({ ask }) => {
    const answer = await ask('listObjectives', {})
    if (!answer.ok) return refused(answer)
    const main = objectivesPage(answer.value.objectives)
    return { kind: 'page', title: 'Objectives', area, about: 'How much may still fail.', main }
  }),
  post(list, ({ ask, form }) => save(ask, null, form)),
  get(`${list}/new`, ({ ask, query }) =>
    formPage(ask, { id: null, typed: null, text: query.get('q') ?? '' }),
  ),
  get(`${list}/:id`, ({ ask, params, query }) =>
    formPage(ask, { id: params['id'] ?? '', typed: null, text: query.get('q') ?? '' }),
  ),
  post(`${list}/:id`, ({ ask, params, form }) => save(ask, params['id'] ?? '', form)),
  get(`${list}/:id/delete`, async ({ ask, params }) => {
    const found = await ask('getObjective', { params: { id: params['id'] ?? '' } })
    if (!found.ok) return refused(found)
    const { id, name } = found.value
    const main = html`<div data-dialog>
      <p>${named(name)} is deleted. Its checks and their readings stay.</p>
      ${confirmForm({ action: `${list}/${id}/delete`, button: 'Delete objective', cancel: `${list}/${id}` })}
    </div>`
    return { kind: 'page', title: 'Delete objective?', area, main }
  }),
  post(`${list}/:id/delete`, async ({ ask, params }) => {
    const answer = await ask('deleteObjective', { params: { id: params['id'] ?? '' } })
    return answer.ok ? { ...elsewhere, done: 'objective-deleted' } : refused(answer)
  }),
]
