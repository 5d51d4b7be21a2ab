import { refused } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { numberOf } from '../paging.ts'
import { checkActRoutes } from './check-acts.ts'
import { checkDetailRoutes } from './check-detail.ts'
import { filterIn, listPath, queryOf } from './check-filter.ts'
import { bulkRoutes } from './bulk.ts'
import { checkListPage } from './check-list-page.ts'

/** Resets a heartbeat that is held down; its next successful run makes it operational. */
const heartbeatActRoutes: readonly MemberRoute[] = [
  {
    method: 'POST',
    path: '/dashboard/checks/:id/release',
    serve: async ({ ask, params }) => {
      const id = params['id'] ?? ''
      const answer = await ask('releaseHeartbeat', { params: { id } })
      return answer.ok
        ? { kind: 'elsewhere', path: `/dashboard/checks/${id}`, done: 'check-released' }
        : refused(answer)
    },
  },
]

/** Messages of earlier versions link to these. */
const formerRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path: '/checks',
    serve: async () => ({ kind: 'elsewhere', path: listPath }),
  },
  {
    method: 'GET',
    path: '/checks/:id',
    serve: async ({ params }) => ({
      kind: 'elsewhere',
      path: `${listPath}/${encodeURIComponent(params['id'] ?? '')}`,
    }),
  },
]

/** Checks of every type: the list, one check with its evidence, and actions. */
export const checkRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path: listPath,
    serve: async ({ ask, query }) => {
      const filter = filterIn(query)
      const [part, team] = await Promise.all([
        ask('listCheckPart', { query: { ...queryOf(filter), page: numberOf(query.get('page')) } }),
        ask('listMembers', {}),
      ])
      if (!part.ok) return refused(part)
      return {
        kind: 'page',
        title: 'Checks',
        area: 'checks',
        main: checkListPage(part.value, filter, team.ok ? team.value.members : []),
      }
    },
  },
  ...checkDetailRoutes,
  ...checkActRoutes,
  ...bulkRoutes,
  ...heartbeatActRoutes,
  ...formerRoutes,
]
