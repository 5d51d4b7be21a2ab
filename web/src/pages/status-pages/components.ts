import { refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import type { Ask } from '../../api/ask.ts'
import { emptyForm, type FormState } from '../../html/components/form.ts'
import { askCheckChoices } from '../check-choice.ts'
import { askCheckNames, idsIn } from '../check-names.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import { orNull, typedOf } from '../typed.ts'
import { groupsOfRows, readRows, rowsOf, type Row } from './arrangement.ts'
import { componentPage, publishPage, unpublishPage } from './component-pages.ts'
import { componentsPage } from './components-page.ts'
import { pageFrame } from './page-frame.ts'

const area = 'pages'
const path = '/dashboard/pages/:id/components/:componentId'

/** @param sent a refused order; null: the stored one */
const showComponents = async (
  ask: Ask,
  id: string,
  sent: { rows: readonly Row[]; form: FormState; status: number } | null = null,
): Promise<Outcome> => {
  const params = { id }
  const [page, published] = await Promise.all([
    ask('getStatusPage', { params }),
    ask('listComponents', { params }),
  ])
  if (!page.ok) return refused(page)
  if (!published.ok) return refused(published)
  const { components } = published.value
  const checks = await askCheckNames(
    ask,
    components.map(({ checkId }) => checkId),
  )
  if (!checks.ok) return refused(checks)
  const named = new Set(sent?.rows.flatMap((row) => ('component' in row ? [row.component] : [])))
  const rows =
    sent === null
      ? rowsOf(components)
      : // what was published meanwhile
        [
          ...sent.rows,
          ...components.filter((each) => !named.has(each.id)).map((each) => ({ component: each.id })),
        ]
  const main = componentsPage(page.value, {
    components,
    checks: checks.value,
    rows,
    form: sent?.form ?? emptyForm,
  })
  return { ...pageFrame(page.value, 'components', main), status: sent?.status ?? 200, frames: true }
}

const showPublish = async (
  ask: Ask,
  id: string,
  asked: { form: FormState; text: string; chosen: readonly string[] },
  status = 200,
): Promise<Outcome> => {
  const page = await ask('getStatusPage', { params: { id } })
  if (!page.ok) return refused(page)
  const choices = await askCheckChoices(ask, {
    text: asked.text,
    chosen: asked.chosen[0],
    publishableOn: page.value.id,
  })
  if (!choices.ok) return refused(choices)
  const { name } = page.value
  return {
    kind: 'page',
    title: 'Publish checks',
    area,
    crumbs: [{ path: `/dashboard/pages/${id}`, text: name }],
    about: 'Their state, uptime and history become public on this page.',
    status,
    main: publishPage(page.value, choices.value, asked),
  }
}

/** Publishes one check under a chosen name, or several under their own names. */
const publish = async (ask: Ask, id: string, form: URLSearchParams): Promise<Outcome> => {
  const typed = typedOf(form)
  const chosen = idsIn(form.getAll('checkId'))
  const again = (problem: Parameters<typeof refusedForm>[1]): Promise<Outcome> =>
    showPublish(
      ask,
      id,
      { form: refusedForm(typed, problem), text: typed['q'] ?? '', chosen },
      problem.status,
    )
  const back = `/dashboard/pages/${id}`
  if (chosen.length > 1) {
    const many = await ask('changeChecks', {
      body: { checkIds: chosen, act: { kind: 'publish', statusPageId: id } },
    })
    if (!many.ok) return many.problem.status === 404 ? refused(many) : again(many.problem)
    const [first] = many.value.refusals
    if (first === undefined) return { kind: 'elsewhere', path: back, done: 'checks-published' }
    const { changed, refusals } = many.value
    const done = `${changed.length} checks were published, ${refusals.length} were not. ${first.message}`
    return again(toProblem(refuse('SV-3002', { message: done })))
  }
  const displayName = orNull(typed['displayName'])
  const body = {
    checkId: chosen[0] ?? '',
    ...(displayName === null ? {} : { displayName }),
    description: orNull(typed['description']),
  }
  const made = await ask('createComponent', { params: { id }, body })
  return made.ok ? { kind: 'elsewhere', path: back, done: 'component-published' } : again(made.problem)
}

const ofComponent = (params: Readonly<Record<string, string>>) => ({
  id: params['id'] ?? '',
  componentId: params['componentId'] ?? '',
})

/** @param sent a refused form; null before any */
const showComponent = async (
  ask: Ask,
  params: ReturnType<typeof ofComponent>,
  sent: FormState | null,
  status = 200,
): Promise<Outcome> => {
  const [answer, page] = await Promise.all([
    ask('getComponent', { params }),
    ask('getStatusPage', { params: { id: params.id } }),
  ])
  if (!answer.ok) return refused(answer)
  if (!page.ok) return refused(page)
  const { displayName, description } = answer.value
  const typed = { displayName, description: description ?? '' }
  const main = componentPage(answer.value, sent ?? { ...emptyForm, typed })
  const crumbs = [{ path: `/dashboard/pages/${params.id}`, text: page.value.name }]
  return { kind: 'page', title: displayName, area, crumbs, status, main }
}

/** The published components: their order; publish, edit and unpublish a check. */
export const componentRoutes: readonly MemberRoute[] = [
  get('/dashboard/pages/:id', ({ ask, params }) => showComponents(ask, params['id'] ?? '')),
  post('/dashboard/pages/:id/arrange', async ({ ask, params: { id = '' }, form }) => {
    const rows = readRows(form)
    const saved = await ask('arrangeComponents', { params: { id }, body: { groups: groupsOfRows(rows) } })
    if (saved.ok) return { kind: 'elsewhere', path: `/dashboard/pages/${id}`, done: 'page-arranged' }
    if (saved.problem.status === 404) return refused(saved)
    const refusal = { rows, form: refusedForm({}, saved.problem), status: saved.problem.status }
    return showComponents(ask, id, refusal)
  }),
  get('/dashboard/pages/:id/publish', ({ ask, params, query }) =>
    showPublish(ask, params['id'] ?? '', { form: emptyForm, text: query.get('q') ?? '', chosen: [] }),
  ),
  post('/dashboard/pages/:id/publish', ({ ask, params, form }) => publish(ask, params['id'] ?? '', form)),
  {
    method: 'GET',
    path,
    serve: ({ ask, params }) => showComponent(ask, ofComponent(params), null),
  },
  {
    method: 'POST',
    path,
    serve: async ({ ask, params, form }) => {
      const of = ofComponent(params)
      const typed = typedOf(form)
      const body = {
        displayName: typed['displayName'] ?? '',
        description: orNull(typed['description']),
      }
      const saved = await ask('updateComponent', { params: of, body })
      if (saved.ok) return { kind: 'elsewhere', path: `/dashboard/pages/${of.id}`, done: 'component-saved' }
      return showComponent(ask, of, refusedForm(typed, saved.problem), saved.problem.status)
    },
  },
  get(`${path}/unpublish`, async ({ ask, params }) => {
    const answer = await ask('getComponent', { params: ofComponent(params) })
    if (!answer.ok) return refused(answer)
    return { kind: 'page', title: 'Remove component?', area, main: unpublishPage(answer.value) }
  }),
  post(`${path}/unpublish`, async ({ ask, params }) => {
    const of = ofComponent(params)
    const answer = await ask('deleteComponent', { params: of })
    if (!answer.ok) return refused(answer)
    return { kind: 'elsewhere', path: `/dashboard/pages/${of.id}`, done: 'component-unpublished' }
  }),
]
