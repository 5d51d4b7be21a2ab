import type { Ask, Asked } from '../../api/ask.ts'
import { emptyForm } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { askCheckNames } from '../check-names.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { subscriptionsOf } from '../subscribers/subscriptions-text.ts'
import { typedOf } from '../typed.ts'
import { componentRoutes } from './components.ts'
import { previewRoutes } from './preview.ts'
import { statusPageListPage } from './status-page-list-page.ts'
import { deletePagePage, statusPagePage } from './status-page-page.ts'
import type { ShownStatusPage } from './status-page-page.ts'
import { readLook, typedOfPage } from './look-form.ts'
import { lookPage } from './look-page.ts'

/** @param sent what was refused; null where nothing was sent yet */
const show = async (ask: Ask, id: string, sent: FormState | null, status = 200): Promise<Outcome> => {
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
const lookRoutes: readonly MemberRoute[] = [
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

const area = 'pages'

const list = async (ask: Ask, form: FormState, status = 200): Promise<Outcome> => {
  const answer = await ask('listStatusPages', {})
  if (!answer.ok) return refused(answer)
  const main = statusPageListPage(answer.value.statusPages, form)
  return { kind: 'page', title: 'Status pages', area, status, main }
}

/** What of a page is shown and lost; another account's is refused. */
const read = async (ask: Ask, id: string): Promise<Asked<Omit<ShownStatusPage, 'checks'>>> => {
  const params = { id }
  const [page, published, mailed] = await Promise.all([
    ask('getStatusPage', { params }),
    ask('listComponents', { params }),
    ask('listSubscribers', { query: { limit: 1 } }),
  ])
  if (!page.ok) return page
  if (!published.ok) return published
  if (!mailed.ok) return mailed
  const { components } = published.value
  const subscriptions = subscriptionsOf(mailed.value.counts, page.value.id)
  return { ok: true, value: { page: page.value, components, subscriptions } }
}

/** @param message why it was not deleted, where that was tried */
const askToDelete = async (ask: Ask, id: string, message: string | null, status = 200): Promise<Outcome> => {
  const [shown, pages] = await Promise.all([read(ask, id), ask('listStatusPages', {})])
  if (!shown.ok) return refused(shown)
  if (!pages.ok) return refused(pages)
  const isOnly = pages.value.statusPages.length === 1
  const main = deletePagePage(shown.value, { isOnly, message })
  return { kind: 'page', title: 'Delete this page?', area, status, main }
}

/** Status pages: listed, made, looked at, deleted after a page that says what is lost. */
export const statusPageRoutes: readonly MemberRoute[] = [
  { method: 'GET', path: '/dashboard/pages', serve: ({ ask }) => list(ask, emptyForm) },
  {
    method: 'POST',
    path: '/dashboard/pages',
    serve: async ({ ask, form }) => {
      const typed = typedOf(form)
      const body = { name: typed['name'] ?? '', slug: typed['slug'] ?? '' }
      const made = await ask('createStatusPage', { body })
      if (made.ok) return { kind: 'elsewhere', path: `/dashboard/pages/${made.value.id}` }
      return list(ask, refusedForm(typed, made.problem), made.problem.status)
    },
  },
  {
    method: 'GET',
    path: '/dashboard/pages/:id',
    serve: async ({ ask, params }) => {
      const shown = await read(ask, params['id'] ?? '')
      if (!shown.ok) return refused(shown)
      const checks = await askCheckNames(
        ask,
        shown.value.components.map(({ checkId }) => checkId),
      )
      if (!checks.ok) return refused(checks)
      const main = statusPagePage({ ...shown.value, checks: checks.value })
      return { kind: 'page', title: shown.value.page.name, area, frames: true, main }
    },
  },
  {
    method: 'GET',
    path: '/dashboard/pages/:id/delete',
    serve: ({ ask, params }) => askToDelete(ask, params['id'] ?? '', null),
  },
  {
    method: 'POST',
    path: '/dashboard/pages/:id/delete',
    serve: async ({ ask, params }) => {
      const id = params['id'] ?? ''
      const answer = await ask('deleteStatusPage', { params: { id } })
      if (answer.ok) return { kind: 'elsewhere', path: '/dashboard/pages' }
      const { code, message, status } = answer.problem
      // the last page stays: said where the button was
      return code === 'SV-3002' ? askToDelete(ask, id, message, status) : refused(answer)
    },
  },
  ...lookRoutes,
  ...previewRoutes,
  ...componentRoutes,
]
