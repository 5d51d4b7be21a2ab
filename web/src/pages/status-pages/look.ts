import type { Ask } from '../../api/ask.ts'
import type { FormState } from '../../html/form.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { typedOf } from '../typed.ts'
import { readLook, typedOfPage } from './look-form.ts'
import { lookPage } from './look-page.ts'

/** @param sent what was refused; null where nothing was sent yet */
const show = async (
  ask: Ask,
  id: string,
  sent: FormState | null,
  status = 200,
): Promise<Outcome> => {
  const answer = await ask('getStatusPage', { params: { id } })
  if (!answer.ok) return refused(answer)
  const page = answer.value
  const form = sent ?? { typed: typedOfPage(page), message: null, problems: [] }
  return {
    kind: 'page',
    title: `Edit ${page.name}`,
    area: 'pages',
    status,
    frames: true,
    main: lookPage(page, form),
  }
}

/** What a page shows of itself: edited as a whole. */
export const lookRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path: '/dashboard/pages/:id/edit',
    serve: ({ ask, params }) => show(ask, params['id'] ?? '', null),
  },
  {
    method: 'POST',
    path: '/dashboard/pages/:id/edit',
    serve: async ({ ask, params, form }) => {
      const id = params['id'] ?? ''
      const { body, typed } = readLook(typedOf(form))
      const saved = await ask('updateStatusPage', { params: { id }, body })
      if (saved.ok) return { kind: 'elsewhere', path: `/dashboard/pages/${id}` }
      if (saved.problem.status === 404) return refused(saved)
      return show(ask, id, refusedForm(typed, saved.problem), saved.problem.status)
    },
  },
]
