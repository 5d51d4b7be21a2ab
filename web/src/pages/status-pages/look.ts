import type { Ask } from '../../api/ask.ts'
import { emptyForm, type FormState } from '../../html/components/form.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import { typedOf } from '../typed.ts'
import { readLook, typedOfPage } from './look-form.ts'
import { lookPage } from './look-page.ts'
import { pageFrame } from './page-frame.ts'

/** @param sent a refused form, of the design or of the logo */
export const showLook = async (
  ask: Ask,
  id: string,
  sent: { form?: FormState; logoForm?: FormState; status?: number } = {},
): Promise<Outcome> => {
  const [answer, logo] = await Promise.all([
    ask('getStatusPage', { params: { id } }),
    ask('getLogo', { params: { id } }),
  ])
  if (!answer.ok) return refused(answer)
  if (!logo.ok) return refused(logo)
  const page = answer.value
  const form = sent.form ?? { typed: typedOfPage(page), message: null, problems: [] }
  const main = lookPage(page, { form, logo: logo.value.logo, logoForm: sent.logoForm ?? emptyForm })
  return { ...pageFrame(page, 'design', main), status: sent.status ?? 200, frames: true }
}

/** The design of a page, edited as a whole. */
export const lookRoutes: readonly MemberRoute[] = [
  get('/dashboard/pages/:id/edit', ({ ask, params }) => showLook(ask, params['id'] ?? '')),
  post('/dashboard/pages/:id/edit', async ({ ask, params, form }) => {
    const id = params['id'] ?? ''
    const { body, typed } = readLook(typedOf(form))
    const saved = await ask('updateStatusPage', { params: { id }, body })
    if (saved.ok) return { kind: 'elsewhere', path: `/dashboard/pages/${id}`, done: 'page-saved' }
    if (saved.problem.status === 404) return refused(saved)
    return showLook(ask, id, { form: refusedForm(typed, saved.problem), status: saved.problem.status })
  }),
]
