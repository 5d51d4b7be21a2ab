import { refused } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { numberOf } from '../paging.ts'
import { checkActRoutes } from './check-acts.ts'
import { checkDetailRoutes } from './check-detail.ts'
import { filterIn, listPath, queryOf } from './check-filter.ts'
import { heartbeatActRoutes } from './heartbeat-acts.ts'
import { checkListPage } from './check-list-page.ts'

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
      const trends =
        ids.length === 0 ? null : await ask('listCheckTrends', { query: { ids: ids.join(',') } })
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
]
