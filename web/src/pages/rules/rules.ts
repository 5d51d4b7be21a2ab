import type { CreateAlertRuleInput } from '@probe-mesh/contracts/alert-rule'
import type { Ask, Asked } from '../../api/ask.ts'
import { emptyForm } from '../../html/form.ts'
import type { FormState } from '../../html/form.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { newRule, ruleForm, ruleIn } from './rule-form.ts'
import type { Nameable } from './rule-form.ts'
import { deleteRulePage, rulesPage } from './rules-page.ts'

const list = '/dashboard/rules'
const elsewhere: Outcome = { kind: 'elsewhere', path: list }

const askNameable = async (ask: Ask): Promise<Asked<Nameable>> => {
  const [checks, channels] = await Promise.all([ask('listChecks', {}), ask('listChannels', {})])
  if (!checks.ok) return checks
  if (!channels.ok) return channels
  const value = { checks: checks.value.checks, channels: channels.value.notificationChannels }
  return { ok: true, value }
}

const formPage = async (
  ask: Ask,
  of: { id: string | null; title: string; status: number },
  rule: CreateAlertRuleInput,
  form: FormState,
): Promise<Outcome> => {
  const nameable = await askNameable(ask)
  if (!nameable.ok) return refused(nameable)
  const main = ruleForm(of, rule, nameable.value, form)
  return { kind: 'page', title: of.title, area: 'rules', status: of.status, main }
}

/** Alert rules: listed, made, changed, and deleted after a page that says what is lost. */
export const ruleRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path: list,
    serve: async ({ ask }) => {
      const [rules, nameable] = await Promise.all([ask('listAlertRules', {}), askNameable(ask)])
      if (!rules.ok) return refused(rules)
      if (!nameable.ok) return refused(nameable)
      const main = rulesPage(rules.value.alertRules, nameable.value)
      return { kind: 'page', title: 'Alert rules', area: 'rules', main }
    },
  },
  {
    method: 'GET',
    path: `${list}/new`,
    serve: ({ ask }) =>
      formPage(ask, { id: null, title: 'A new alert rule', status: 200 }, newRule, emptyForm),
  },
  {
    method: 'POST',
    path: list,
    serve: async ({ ask, form }) => {
      const rule = ruleIn(form)
      const answer = await ask('createAlertRule', { body: rule })
      if (answer.ok) return elsewhere
      const of = { id: null, title: 'A new alert rule', status: answer.problem.status }
      return formPage(ask, of, rule, refusedForm(Object.fromEntries(form), answer.problem))
    },
  },
  {
    method: 'GET',
    path: `${list}/:id`,
    serve: async ({ ask, params }) => {
      const answer = await ask('listAlertRules', {})
      if (!answer.ok) return refused(answer)
      const rule = answer.value.alertRules.find(({ id }) => id === params['id'])
      if (rule === undefined) return elsewhere
      return formPage(ask, { id: rule.id, title: rule.name, status: 200 }, rule, emptyForm)
    },
  },
  {
    method: 'POST',
    path: `${list}/:id`,
    serve: async ({ ask, params, form }) => {
      const id = params['id'] ?? ''
      const rule = ruleIn(form)
      const answer = await ask('updateAlertRule', { params: { id }, body: rule })
      if (answer.ok) return elsewhere
      if (answer.problem.status === 404) return refused(answer)
      const of = { id, title: 'Change an alert rule', status: answer.problem.status }
      return formPage(ask, of, rule, refusedForm(Object.fromEntries(form), answer.problem))
    },
  },
  {
    method: 'GET',
    path: `${list}/:id/delete`,
    serve: async ({ ask, params }) => {
      const answer = await ask('listAlertRules', {})
      if (!answer.ok) return refused(answer)
      const { alertRules } = answer.value
      const rule = alertRules.find(({ id }) => id === params['id'])
      if (rule === undefined) return elsewhere
      const main = deleteRulePage(rule, alertRules.length === 1)
      return { kind: 'page', title: 'Delete this alert rule?', area: 'rules', main }
    },
  },
  {
    method: 'POST',
    path: `${list}/:id/delete`,
    serve: async ({ ask, params }) => {
      const answer = await ask('deleteAlertRule', { params: { id: params['id'] ?? '' } })
      return answer.ok ? elsewhere : refused(answer)
    },
  },
]
