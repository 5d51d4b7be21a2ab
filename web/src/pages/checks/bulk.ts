import { BulkAct, bulkChecksMax, type BulkResult } from '@probe-mesh/contracts/check/bulk'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import { refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import type { Ask } from '../../api/ask.ts'
import { emptyForm } from '../../html/components/form.ts'
import type { DoneWord } from '../../html/components/toast.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import { asked, bulkPage, bulkResultPage, isAsked, type AskedAct } from './bulk-page.ts'
import { listPath } from './check-filter.ts'
import { pauseEndIn } from './pause-end.ts'

/** Actions on one check, from its page or its row. */
const oneActs = {
  pause: { paused: true, done: 'check-paused', undo: 'resume' },
  resume: { paused: false, done: 'check-resumed', undo: 'pause' },
} as const satisfies Record<string, { paused: boolean; done: DoneWord; undo: string }>

/** Pause, resume and clone for one check, and actions on many. */
export const bulkRoutes: readonly MemberRoute[] = [
  ...Object.entries(oneActs).map(([name, { paused, done, undo }]): MemberRoute => ({
    method: 'POST',
    path: `/dashboard/checks/:id/${name}`,
    serve: async ({ ask, params: { id = '' }, form }) => {
      const act = { kind: paused ? 'pause' : 'resume' } as const
      const answer = await ask('changeChecks', { body: { checkIds: [id], act } })
      if (!answer.ok) return refused(answer)
      const path = `/dashboard/checks/${id}`
      const back = backOf(form, path)
      const [first] = answer.value.refusals
      if (first?.code === 'SV-3001')
        return refused({ problem: toProblem(refuse('SV-3001')), retryAfter: null })
      if (first !== undefined) return showRefusals(ask, answer.value, [id], back)
      return { kind: 'elsewhere', path: back, done, undo: `${path}/${undo}` }
    },
  })),
  get('/dashboard/checks/:id/pause', async ({ ask, params: { id = '' }, zone }) => {
    const found = await ask('getCheck', { params: { id } })
    if (!found.ok) return refused(found)
    return askFirst(ask, 'pause_until', [id], { back: `/dashboard/checks/${id}`, zone })
  }),
  post('/dashboard/checks/:id/clone', async ({ ask, params: { id = '' } }) => {
    const answer = await ask('cloneCheck', { params: { id } })
    if (!answer.ok) return refused(answer)
    return { kind: 'elsewhere', path: `/dashboard/checks/${answer.value.id}/edit`, done: 'check-cloned' }
  }),
  get('/dashboard/checks/bulk', async () => ({ kind: 'elsewhere', path: listPath })),
  post('/dashboard/checks/bulk', async ({ ask, form, zone }) => {
    const checkIds = [...new Set(form.getAll('id'))].filter((id) => Uuid.safeParse(id).success)
    const back = backOf(form, listPath)
    if (checkIds.length === 0) return { kind: 'elsewhere', path: back }
    if (checkIds.length > bulkChecksMax) return tooMany
    const kind = form.get('act') ?? ''
    if (isAsked(kind) && form.get('sure') === null) return askFirst(ask, kind, checkIds, { back, zone })
    return perform(ask, { kind, checkIds, back, form, zone })
  }),
]

const tooMany = refused({
  problem: toProblem(
    refuse('SV-2001', { message: `At most ${bulkChecksMax} checks can be changed at once.` }),
  ),
  retryAfter: null,
})

/** The address of the list or check with the form; only within the dashboard. */
const backOf = (form: URLSearchParams, fallback: string): string => {
  const back = form.get('back') ?? ''
  const isOwn =
    back === listPath || back.startsWith(`${listPath}?`) || /^\/dashboard\/checks\/[\da-f-]{36}$/.test(back)
  return isOwn ? back : fallback
}

const askFirst = async (
  ask: Ask,
  act: AskedAct,
  checkIds: readonly string[],
  { back, zone }: { back: string; zone: string },
  form = emptyForm,
): Promise<Outcome> => {
  const [names, pages, rules] = await Promise.all([
    ask('listCheckNames', { query: { ids: checkIds.join(',') } }),
    act === 'publish' ? ask('listStatusPages', {}) : null,
    act === 'add_to_rule' ? ask('listAlertRules', {}) : null,
  ])
  if (!names.ok) return refused(names)
  if (pages !== null && !pages.ok) return refused(pages)
  if (rules !== null && !rules.ok) return refused(rules)
  return {
    kind: 'page',
    title: asked[act].title,
    area: 'checks',
    status: form.message === null && form.problems.length === 0 ? 200 : 422,
    main: bulkPage(act, form, {
      // in the order of selection
      checks: checkIds.flatMap((id) => names.value.named.find((check) => check.id === id) ?? []),
      back,
      zone,
      pages: pages?.value.statusPages ?? [],
      rules: rules?.value.alertRules ?? [],
    }),
  }
}

const perform = async (
  ask: Ask,
  {
    kind,
    checkIds,
    back,
    form,
    zone,
  }: { kind: string; checkIds: string[]; back: string; form: URLSearchParams; zone: string },
): Promise<Outcome> => {
  const typed = Object.fromEntries(form)
  const { tag, statusPageId, alertRuleId } = typed
  const isEnding = kind === 'pause_until'
  const values = {
    kind: isEnding ? 'pause' : kind,
    ...(isEnding && { until: pauseEndIn(typed, { nowMs: Date.now(), zone }) }),
    ...(tag !== undefined && { tag }),
    ...(statusPageId && { statusPageId }),
    ...(alertRuleId && { alertRuleId }),
  }
  const act = BulkAct.safeParse(values)
  if (!act.success && !isAsked(kind)) return { kind: 'elsewhere', path: back }
  const answer = await ask('changeChecks', { body: { checkIds, act: values as never } })
  if (!answer.ok) {
    if (!isAsked(kind)) return refused(answer)
    const problem = {
      ...answer.problem,
      errors: answer.problem.errors.map((each) => ({ ...each, path: each.path.replace(/^act\./, '') })),
    }
    return askFirst(ask, kind, checkIds, { back, zone }, refusedForm(typed, problem))
  }
  if (answer.value.refusals.length === 0) return { kind: 'elsewhere', path: back, done: 'checks-changed' }
  return showRefusals(ask, answer.value, checkIds, back)
}

const showRefusals = async (
  ask: Ask,
  { changed, refusals }: BulkResult,
  checkIds: readonly string[],
  back: string,
): Promise<Outcome> => {
  const found = await ask('listCheckNames', { query: { ids: checkIds.join(',') } })
  const names = new Map(found.ok ? found.value.named.map(({ id, name }) => [id, name]) : [])
  const main = bulkResultPage(refusals, { changed: changed.length, names, back })
  return { kind: 'page', title: 'Not all checks changed', area: 'checks', main }
}
