import type { Ask, Asked } from '@probe-mesh/web/src/api/ask'
import { icon } from '@probe-mesh/web/src/html/components/icon'
import { html } from '@probe-mesh/runtime/html'
import { emptyForm, type FormState } from '@probe-mesh/web/src/html/components/form'
import { refused, refusedForm, type Outcome } from '@probe-mesh/web/src/pages/outcome'
import { get, post, type MemberRoute } from '@probe-mesh/web/src/pages/page-route'
import {
  contradictions,
  errorRuleForm,
  errorRuleIn,
  newErrorRule,
  shownErrorRule,
  type Nameable,
  type ShownErrorRule,
} from './error-rule-form.ts'
import { rulesPath } from './project-tabs.ts'
import { deleteErrorRulePage, errorRulesPage } from './error-rules-page.ts'

const area = 'errors'
const list = rulesPath
const listName = 'Alert rules of errors'
const crumbs = [{ path: rulesPath, text: 'Alert rules' }]
const newTitle = 'New alert rule'
const changeTitle = 'Edit alert rule'
/** There is no such rule. */
const elsewhere: Outcome = { kind: 'elsewhere', path: list }

const askNameable = async (ask: Ask): Promise<Asked<Nameable>> => {
  const [projects, channels] = await Promise.all([ask('listOwnErrorProjects', {}), ask('listChannels', {})])
  if (!projects.ok) return projects
  if (!channels.ok) return channels
  const value = { projects: projects.value.projects, channels: channels.value.notificationChannels }
  return { ok: true, value }
}

const formPage = async (
  ask: Ask,
  of: { id: string | null; title: string; status: number },
  shown: ShownErrorRule,
  form: FormState,
): Promise<Outcome> => {
  const nameable = await askNameable(ask)
  if (!nameable.ok) return refused(nameable)
  const main = errorRuleForm(of.id, shown, nameable.value, form)
  return { kind: 'page', title: of.title, area, crumbs, status: of.status, main }
}

/** Creates or changes a rule; a refused form is shown again with its problems. */
const save = async (ask: Ask, id: string | null, form: URLSearchParams): Promise<Outcome> => {
  const shown = errorRuleIn(form)
  const typed = Object.fromEntries(form)
  const title = id === null ? newTitle : changeTitle
  const problems = contradictions(form)
  if (problems.length > 0) {
    const state = { ...emptyForm, typed, problems }
    return formPage(ask, { id, title, status: 422 }, shown, state)
  }
  const answer =
    id === null
      ? await ask('createErrorRule', { body: shown.rule })
      : await ask('updateErrorRule', { params: { id }, body: shown.rule })
  if (answer.ok) return { kind: 'elsewhere', path: list, done: id === null ? 'rule-created' : 'rule-saved' }
  if (answer.problem.status === 404) return refused(answer)
  const of = { id, title, status: answer.problem.status }
  return formPage(ask, of, shown, refusedForm(typed, answer.problem))
}

/** Alert rules of error tracking: the list, the form, and the deletion after a confirmation. */
export const errorRuleRoutes: readonly MemberRoute[] = [
  get(list, async ({ ask }) => {
    const [rules, nameable] = await Promise.all([ask('listErrorRules', {}), askNameable(ask)])
    if (!rules.ok) return refused(rules)
    if (!nameable.ok) return refused(nameable)
    const main = errorRulesPage(rules.value.errorRules, nameable.value)
    const actions = html`<a class="button primary" href="${list}/new">${icon('plus')}New alert rule</a>`
    return { kind: 'page', title: listName, heading: 'Errors', area, actions, main }
  }),
  get(`${list}/new`, ({ ask }) =>
    formPage(ask, { id: null, title: newTitle, status: 200 }, shownErrorRule(newErrorRule), emptyForm),
  ),
  post(list, ({ ask, form }) => save(ask, null, form)),
  get(`${list}/:id`, async ({ ask, params }) => {
    const answer = await ask('listErrorRules', {})
    if (!answer.ok) return refused(answer)
    const rule = answer.value.errorRules.find(({ id }) => id === params['id'])
    if (rule === undefined) return elsewhere
    const of = { id: rule.id, title: rule.name, status: 200 }
    return formPage(ask, of, shownErrorRule(rule), emptyForm)
  }),
  post(`${list}/:id`, ({ ask, params, form }) => save(ask, params['id'] ?? '', form)),
  get(`${list}/:id/delete`, async ({ ask, params }) => {
    const answer = await ask('listErrorRules', {})
    if (!answer.ok) return refused(answer)
    const rule = answer.value.errorRules.find(({ id }) => id === params['id'])
    if (rule === undefined) return elsewhere
    const main = deleteErrorRulePage(rule)
    return { kind: 'page', title: `Delete ${rule.name}?`, area, crumbs, main }
  }),
  post(`${list}/:id/delete`, async ({ ask, params }) => {
    const answer = await ask('deleteErrorRule', { params: { id: params['id'] ?? '' } })
    return answer.ok ? { kind: 'elsewhere', path: list, done: 'rule-deleted' } : refused(answer)
  }),
]
