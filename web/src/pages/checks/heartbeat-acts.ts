import { refused } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'

/** What is done with a heartbeat: that it is held down is ended, which says nothing of its job. */
export const heartbeatActRoutes: readonly MemberRoute[] = [
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
