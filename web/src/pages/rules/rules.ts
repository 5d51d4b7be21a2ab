import {
  fieldProblems,
  refuse,
  toProblem,
  type Problem,
  type FieldProblem,
} from '@probe-mesh/contracts/schema/refusal'
import type { Ask } from '../../api/ask.ts'
import { emptyForm, type FormState } from '../../html/components/form.ts'
import { askCheckNames } from '../check-names.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import { askCheckBoxes, isSearch } from './check-boxes.ts'
import { newRule, ruleForm, ruleIn, shownIn, shownRule, type ShownRule } from './rule-form.ts'
import { checksToName, deleteRulePage, rulesPage } from './rules-page.ts'
import { CreateAlertRuleInput } from '@probe-mesh/contracts/alert/alert-rule'
import { plainProblem } from '@probe-mesh/contracts/schema/plain-problem'
import { html } from '@probe-mesh/runtime/html'

/**
 * A form that says all where boxes are ticked says two things, of which saving would drop one. It is
 * refused like what the API refuses, with all else that is wrong with it; null where it says one
 * thing.
 */
const contradictionIn = (form: URLSearchParams): Problem | null => {
  const contradictions = [
    ...contradiction(form, { field: 'checks', boxes: 'checkIds' }),
    ...contradiction(form, { field: 'channels', boxes: 'channelIds' }),
  ]
  if (contradictions.length === 0) return null
  const parsed = CreateAlertRuleInput.safeParse(ruleIn(form), { error: plainProblem })
  const others = parsed.success ? [] : fieldProblems(parsed.error)
  return toProblem(refuse('SV-2001', { errors: [...contradictions, ...others] }))
}

const contradiction = (
  form: URLSearchParams,
  { field, boxes }: { field: 'checks' | 'channels'; boxes: string },
): FieldProblem[] => {
  const ticked = new Set(form.getAll(boxes)).size
  if (form.get(field) === 'some' || ticked === 0) return []
  const one = field.slice(0, -1)
  const message = `all ${field} are chosen, but ${ticked} ${ticked === 1 ? `${one} is` : `${field} are`} ticked below: clear ${ticked === 1 ? 'it' : 'them'}, or choose selected ${field}`
  return [{ path: field, message }]
}

const list = '/dashboard/rules'
const newTitle = 'New alert rule'
const changeTitle = 'Edit alert rule'
const elsewhere: Extract<Outcome, { kind: 'elsewhere' }> = { kind: 'elsewhere', path: list }

const formPage = async (
  ask: Ask,
  of: { id: string | null; title: string; status: number },
  shown: ShownRule,
  form: FormState,
): Promise<Outcome> => {
  const [boxes, channels, members, rules, policies] = await Promise.all([
    askCheckBoxes(ask, { text: form.typed['q'] ?? '', ticked: shown.ticked.checkIds }),
    ask('listChannels', {}),
    ask('listMembers', {}),
    ask('listAlertRules', {}),
    ask('listEscalationPolicies', {}),
  ])
  if (!policies.ok) return refused(policies)
  if (!boxes.ok) return refused(boxes)
  if (!channels.ok) return refused(channels)
  if (!members.ok) return refused(members)
  if (!rules.ok) return refused(rules)
  const nameable = {
    boxes: boxes.value,
    channels: channels.value.notificationChannels,
    people: { ...rules.value, members: members.value.members },
    policies: policies.value.policies,
  }
  const main = ruleForm(of, shown, nameable, form)
  return { kind: 'page', title: of.title, area: 'rules', status: of.status, main }
}

/** The form again with the checks that were looked for; what was typed and ticked is kept, and not saved. */
const searched = (
  ask: Ask,
  of: { id: string | null; title: string },
  form: URLSearchParams,
): Promise<Outcome> => {
  const typed = Object.fromEntries(form)
  return formPage(ask, { ...of, status: 200 }, shownIn(form), { ...emptyForm, typed })
}

/** The form again, with what was typed and ticked, and with what is wrong with it. */
const wrong = (
  ask: Ask,
  of: { id: string | null; title: string },
  form: URLSearchParams,
  problem: Problem,
): Promise<Outcome> => {
  const { status } = problem
  const state = refusedForm(Object.fromEntries(form), problem)
  return formPage(ask, { ...of, status }, shownIn(form), state)
}

/** Alert rules and the addresses that they mail: listed, made, changed, and deleted after a page that says what is lost. */
export const ruleRoutes: readonly MemberRoute[] = [
  get(list, async ({ ask }) => {
    const [rules, channels, members, policies] = await Promise.all([
      ask('listAlertRules', {}),
      ask('listChannels', {}),
      ask('listMembers', {}),
      ask('listEscalationPolicies', {}),
    ])
    if (!policies.ok) return refused(policies)
    if (!rules.ok) return refused(rules)
    if (!channels.ok) return refused(channels)
    if (!members.ok) return refused(members)
    const { alertRules } = rules.value
    const checks = await askCheckNames(ask, checksToName(alertRules))
    if (!checks.ok) return refused(checks)
    const main = rulesPage(alertRules, {
      checks: checks.value,
      channels: channels.value.notificationChannels,
      people: { ...rules.value, members: members.value.members },
      policies: policies.value.policies,
    })
    return {
      kind: 'page',
      title: 'Alert rules',
      area: 'rules',
      about: 'Who is notified, and when.',
      actions: alertRules.length > 0 && html`<a class="button primary" href="${list}/new">New alert rule</a>`,
      main,
    }
  }),
  get(`${list}/new`, ({ ask }) =>
    formPage(ask, { id: null, title: newTitle, status: 200 }, shownRule(newRule), emptyForm),
  ),
  post(list, async ({ ask, form }) => {
    const of = { id: null, title: newTitle }
    if (isSearch(form)) return searched(ask, of, form)
    const contradiction = contradictionIn(form)
    if (contradiction !== null) return wrong(ask, of, form, contradiction)
    const answer = await ask('createAlertRule', { body: ruleIn(form) })
    return answer.ok ? { ...elsewhere, done: 'rule-created' } : wrong(ask, of, form, answer.problem)
  }),
  get(`${list}/:id`, async ({ ask, params }) => {
    const answer = await ask('listAlertRules', {})
    if (!answer.ok) return refused(answer)
    const rule = answer.value.alertRules.find(({ id }) => id === params['id'])
    if (rule === undefined) return elsewhere
    return formPage(ask, { id: rule.id, title: rule.name, status: 200 }, shownRule(rule), emptyForm)
  }),
  post(`${list}/:id`, async ({ ask, params, form }) => {
    const id = params['id'] ?? ''
    const of = { id, title: changeTitle }
    if (isSearch(form)) return searched(ask, of, form)
    const contradiction = contradictionIn(form)
    if (contradiction !== null) return wrong(ask, of, form, contradiction)
    const answer = await ask('updateAlertRule', { params: { id }, body: ruleIn(form) })
    if (answer.ok) return { ...elsewhere, done: 'rule-saved' }
    if (answer.problem.status === 404) return refused(answer)
    return wrong(ask, of, form, answer.problem)
  }),
  post(`${list}/:id/addresses/:addressId/ask`, async ({ ask, params }) => {
    const answer = await ask('askAlertAddress', { params: { id: params['addressId'] ?? '' } })
    if (!answer.ok) return refused(answer)
    return { kind: 'elsewhere', path: `${list}/${params['id'] ?? ''}`, done: 'address-asked' }
  }),
  get(`${list}/:id/delete`, async ({ ask, params }) => {
    const answer = await ask('listAlertRules', {})
    if (!answer.ok) return refused(answer)
    const { alertRules } = answer.value
    const rule = alertRules.find(({ id }) => id === params['id'])
    if (rule === undefined) return elsewhere
    const main = deleteRulePage(rule, alertRules.length === 1)
    return { kind: 'page', title: `Delete ${rule.name}?`, area: 'rules', main }
  }),
  post(`${list}/:id/delete`, async ({ ask, params }) => {
    const answer = await ask('deleteAlertRule', { params: { id: params['id'] ?? '' } })
    return answer.ok ? { ...elsewhere, done: 'rule-deleted' } : refused(answer)
  }),
]
