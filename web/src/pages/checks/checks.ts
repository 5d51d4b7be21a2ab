import { refused } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { partOf } from '../paging.ts'
import { checkListPage, sortChecks } from './check-list-page.ts'
import { checkActRoutes } from './check-acts.ts'
import { checkDetailRoutes } from './check-detail.ts'
import { checkEditRoutes } from './check-edits.ts'

/** Checks of every type: the list, one with its evidence, and what is done with one. */
export const checkRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path: '/dashboard/checks',
    serve: async ({ ask, query }) => {
      const answer = await ask('listChecks', {})
      if (!answer.ok) return refused(answer)
      const { checks: all } = answer.value
      const text = query.get('q') ?? ''
      const part = partOf(sortChecks(all, text), query.get('page'))
      return {
        kind: 'page',
        title: 'Checks',
        area: 'checks',
        main: checkListPage(part, { text, all }),
      }
    },
  },
  ...checkDetailRoutes,
  ...checkEditRoutes,
  ...checkActRoutes,
]
