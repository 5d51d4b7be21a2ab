import type { Ask, Asked } from '../../api/ask.ts'
import { emptyForm } from '../../html/form.ts'
import type { FormState } from '../../html/form.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { isSearch } from './check-boxes.ts'
import { newRule, ruleForm, shownIn, shownRule } from './rule-form.ts'
import type { Nameable, ShownRule } from './rule-form.ts'
import { deleteRulePage, rulesPage } from './rules-page.ts'

const list = '/dashboard/rules'
const newTitle = 'A new alert rule'
const changeTitle = 'Change an alert rule'
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
  shown: ShownRule,
  form: FormState,
): Promise<Outcome> => {
  const nameable = await askNameable(ask)
  if (!nameable.ok) return refused(nameable)
  const main = ruleForm(of, shown, nameable.value, form)
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
      formPage(ask, { id: null, title: newTitle, status: 200 }, shownRule(newRule), emptyForm),
  },
  {
    method: 'POST',
    path: list,
    serve: async ({ ask, form }) => {
      const shown = shownIn(form)
      if (isSearch(form)) return searched(ask, { id: null, title: newTitle }, form)
      const answer = await ask('createAlertRule', { body: shown.rule })
      if (answer.ok) return elsewhere
      const of = { id: null, title: newTitle, status: answer.problem.status }
      return formPage(ask, of, shown, refusedForm(Object.fromEntries(form), answer.problem))
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
      return formPage(
        ask,
        { id: rule.id, title: rule.name, status: 200 },
        shownRule(rule),
        emptyForm,
      )
    },
  },
  {
    method: 'POST',
    path: `${list}/:id`,
    serve: async ({ ask, params, form }) => {
      const id = params['id'] ?? ''
      const shown = shownIn(form)
      if (isSearch(form)) return searched(ask, { id, title: changeTitle }, form)
      const answer = await ask('updateAlertRule', { params: { id }, body: shown.rule })
      if (answer.ok) return elsewhere
      if (answer.problem.status === 404) return refused(answer)
      const of = { id, title: changeTitle, status: answer.problem.status }
      return formPage(ask, of, shown, refusedForm(Object.fromEntries(form), answer.problem))
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
