import { logoLimits } from '@probe-mesh/contracts/status-page/logo'
import { refused, refusedForm } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { showLook } from './look.ts'

/** A file with the form around it. */
const bodyBytesMax = logoLimits.bytesMax + 16 * 1024

/** Uploading the logo of a page, and deleting it. */
export const logoFormRoutes: readonly MemberRoute[] = [
  {
    method: 'POST',
    path: '/dashboard/pages/:id/logo',
    bodyBytesMax,
    serve: async ({ ask, params: { id = '' }, form }) => {
      const answer = await ask('uploadLogo', { params: { id }, body: { image: form.get('image') ?? '' } })
      if (answer.ok) return { kind: 'elsewhere', path: `/dashboard/pages/${id}/edit`, done: 'logo-uploaded' }
      if (answer.problem.status === 404) return refused(answer)
      const logoForm = refusedForm({}, answer.problem)
      return showLook(ask, id, { logoForm, status: answer.problem.status })
    },
  },
  {
    method: 'POST',
    path: '/dashboard/pages/:id/logo/delete',
    // its form has a file field, which may contain a file
    bodyBytesMax,
    serve: async ({ ask, params: { id = '' } }) => {
      const answer = await ask('deleteLogo', { params: { id } })
      if (!answer.ok) return refused(answer)
      return { kind: 'elsewhere', path: `/dashboard/pages/${id}/edit`, done: 'logo-deleted' }
    },
  },
]
