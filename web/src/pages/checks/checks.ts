import type { Ask } from '../../api/ask.ts'
import { emptyForm } from '../../html/components/form.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import { numberOf } from '../paging.ts'
import { checkActRoutes } from './check-acts.ts'
import { checkDetailRoutes } from './check-detail.ts'
import { filterIn, listPath, pathOf, queryOf, type CheckFilter } from './check-filter.ts'
import { filterInForm, filtersPath } from './saved-filters.ts'
import { bulkRoutes } from './bulk.ts'
import { checkListPage } from './check-list-page.ts'

/** Resets a heartbeat that is held down; its next successful run makes it operational. */
const heartbeatActRoutes: readonly MemberRoute[] = [
  post('/dashboard/checks/:id/release', async ({ ask, params }) => {
    const id = params['id'] ?? ''
    const answer = await ask('releaseHeartbeat', { params: { id } })
    return answer.ok
      ? { kind: 'elsewhere', path: `/dashboard/checks/${id}`, done: 'check-released' }
      : refused(answer)
  }),
]

/** Messages of earlier versions link to these. */
const formerRoutes: readonly MemberRoute[] = [
  get('/checks', async () => ({ kind: 'elsewhere', path: listPath })),
  get('/checks/:id', async ({ params }) => ({
    kind: 'elsewhere',
    path: `${listPath}/${encodeURIComponent(params['id'] ?? '')}`,
  })),
]

/** Checks of every type: the list, one check with its evidence, and actions. */
export const checkRoutes: readonly MemberRoute[] = [
  get(listPath, ({ ask, query }) => showList(ask, filterIn(query), { page: numberOf(query.get('page')) })),
  post(filtersPath, async ({ ask, form }) => {
    const filter = filterInForm(form)
    const body = { name: form.get('name') ?? '', query: queryOf(filter) }
    const answer = await ask('createSavedFilter', { body })
    return answer.ok
      ? { kind: 'elsewhere', path: pathOf(filter), done: 'filter-saved' }
      : showList(ask, filter, {
          form: refusedForm(Object.fromEntries(form), answer.problem),
          status: answer.problem.status,
        })
  }),
  // a browser requests this when the page above is opened again
  get(filtersPath, async () => ({ kind: 'elsewhere', path: listPath })),
  post(`${filtersPath}/:id/delete`, async ({ ask, params: { id = '' } }) => {
    const answer = await ask('deleteSavedFilter', { params: { id } })
    return answer.ok ? { kind: 'elsewhere', path: listPath, done: 'filter-deleted' } : refused(answer)
  }),
  ...checkDetailRoutes,
  ...checkActRoutes,
  ...bulkRoutes,
  ...heartbeatActRoutes,
  ...formerRoutes,
]

const showList = async (
  ask: Ask,
  filter: CheckFilter,
  { page = 1, form = emptyForm, status = 200 }: { page?: number; form?: typeof emptyForm; status?: number },
): Promise<Outcome> => {
  const [part, team, saved] = await Promise.all([
    ask('listCheckPart', { query: { ...queryOf(filter), page } }),
    ask('listMembers', {}),
    ask('listSavedFilters', {}),
  ])
  if (!part.ok) return refused(part)
  const main = checkListPage(part.value, filter, {
    members: team.ok ? team.value.members : [],
    saved: saved.ok ? saved.value.savedFilters : [],
    form,
  })
  return { kind: 'page', title: 'Checks', area: 'checks', status, main }
}
