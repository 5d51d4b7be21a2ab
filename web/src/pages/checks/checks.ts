import { refused } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { partOf } from '../paging.ts'
import { checkListPage, sortChecks } from './check-list-page.ts'
import { checkPage } from './check-page.ts'

/** Checks of every type: the list, and one with its evidence. */
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
  {
    method: 'GET',
    path: '/dashboard/checks/:id',
    serve: async ({ ask, params }) => {
      const answer = await ask('getCheck', { params: { id: params['id'] ?? '' } })
      if (!answer.ok) return refused(answer)
      const { name } = answer.value
      return { kind: 'page', title: name, area: 'checks', main: checkPage(answer.value) }
    },
  },
]
