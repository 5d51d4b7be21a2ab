import { refused } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { numberOf } from '../paging.ts'
import { checkActRoutes } from './check-acts.ts'
import { checkDetailRoutes } from './check-detail.ts'
import { filterIn, listPath, queryOf } from './check-filter.ts'
import { checkListPage } from './check-list-page.ts'

/** What is done with a heartbeat: that it is held down is ended, which says nothing of its job. */
const heartbeatActRoutes: readonly MemberRoute[] = [
  {
    method: 'POST',
    path: '/dashboard/checks/:id/release',
    serve: async ({ ask, params }) => {
      const id = params['id'] ?? ''
      const answer = await ask('releaseHeartbeat', { params: { id } })
      return answer.ok ? { kind: 'elsewhere', path: `/dashboard/checks/${id}` } : refused(answer)
    },
  },
]

/** Addresses that messages of former versions link to. */
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

/** Checks of every type: the list, one with its evidence, and what is done with one. */
export const checkRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path: listPath,
    serve: async ({ ask, query }) => {
      const filter = filterIn(query)
      const part = await ask('listCheckPart', {
        query: { ...queryOf(filter), page: numberOf(query.get('page')) },
      })
      if (!part.ok) return refused(part)
      const ids = part.value.checks.map(({ id }) => id)
      const trends = ids.length === 0 ? null : await ask('listCheckTrends', { query: { ids: ids.join(',') } })
      return {
        kind: 'page',
        title: 'Checks',
        area: 'checks',
        main: checkListPage(part.value, { filter, trends: trends?.ok ? trends.value : null }),
      }
    },
  },
  ...checkDetailRoutes,
  ...checkActRoutes,
  ...heartbeatActRoutes,
  ...formerRoutes,
]
