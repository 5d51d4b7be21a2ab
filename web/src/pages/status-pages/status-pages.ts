import type { Ask, Asked } from '../../api/ask.ts'
import { emptyForm, type FormState } from '../../html/components/form.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import { subscriptionsOf } from '../subscribers/subscriptions-text.ts'
import { typedOf } from '../typed.ts'
import { componentRoutes } from './components.ts'
import { deletePagePage, type Losses } from './delete-page.ts'
import { logoFormRoutes } from './logo.ts'
import { lookRoutes } from './look.ts'
import { pageFrame } from './page-frame.ts'
import { postsPage } from './posts-page.ts'
import { previewRoutes } from './preview.ts'
import { createPageAction, statusPageListPage } from './status-page-list-page.ts'

const area = 'pages'

const list = async (ask: Ask, form: FormState, status = 200): Promise<Outcome> => {
  const answer = await ask('listStatusPages', {})
  if (!answer.ok) return refused(answer)
  const main = statusPageListPage(answer.value.statusPages, form)
  const about = 'Public pages with the state of your checks, incidents and maintenance.'
  return { kind: 'page', title: 'Status pages', area, about, actions: createPageAction, status, main }
}

/** The losses of deleting a page; another account's page is refused. */
const readLosses = async (ask: Ask, id: string): Promise<Asked<Losses>> => {
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

/** @param message the reason of a failed deletion */
const askToDelete = async (ask: Ask, id: string, message: string | null, status = 200): Promise<Outcome> => {
  const [losses, pages] = await Promise.all([readLosses(ask, id), ask('listStatusPages', {})])
  if (!losses.ok) return refused(losses)
  if (!pages.ok) return refused(pages)
  const isOnly = pages.value.statusPages.length === 1
  const crumbs = [{ path: `/dashboard/pages/${id}`, text: losses.value.page.name }]
  const main = deletePagePage(losses.value, { isOnly, message })
  return { kind: 'page', title: 'Delete status page?', area, crumbs, status, main }
}

/** Posts in the tab; the lists of all pages have the rest. */
const postsMax = 50

const showPosts = async (ask: Ask, id: string): Promise<Outcome> => {
  const page = await ask('getStatusPage', { params: { id } })
  if (!page.ok) return refused(page)
  const [incidents, windows] = await Promise.all([
    ask('listIncidents', { query: { limit: 500 } }),
    ask('listMaintenance', { query: { statusPageId: page.value.id, limit: postsMax } }),
  ])
  if (!incidents.ok) return refused(incidents)
  if (!windows.ok) return refused(windows)
  const main = postsPage(page.value.id, {
    incidents: incidents.value.incidents
      .filter(({ statusPageId }) => statusPageId === page.value.id)
      .slice(0, postsMax),
    windows: windows.value.maintenanceWindows,
  })
  return pageFrame(page.value, 'posts', main)
}

/** Status pages: listed, created, edited, and deleted after a confirmation. */
export const statusPageRoutes: readonly MemberRoute[] = [
  get('/dashboard/pages', ({ ask }) => list(ask, emptyForm)),
  post('/dashboard/pages', async ({ ask, form }) => {
    const typed = typedOf(form)
    const body = { name: typed['name'] ?? '', slug: typed['slug'] ?? '' }
    const made = await ask('createStatusPage', { body })
    if (made.ok) {
      return { kind: 'elsewhere', path: `/dashboard/pages/${made.value.id}`, done: 'page-created' }
    }
    return list(ask, refusedForm(typed, made.problem), made.problem.status)
  }),
  get('/dashboard/pages/:id/posts', ({ ask, params }) => showPosts(ask, params['id'] ?? '')),
  get('/dashboard/pages/:id/delete', ({ ask, params }) => askToDelete(ask, params['id'] ?? '', null)),
  post('/dashboard/pages/:id/delete', async ({ ask, params }) => {
    const id = params['id'] ?? ''
    const answer = await ask('deleteStatusPage', { params: { id } })
    if (answer.ok) return { kind: 'elsewhere', path: '/dashboard/pages', done: 'page-deleted' }
    const { code, message, status } = answer.problem
    // the last page stays: the message is shown at the button
    return code === 'SV-3002' ? askToDelete(ask, id, message, status) : refused(answer)
  }),
  ...lookRoutes,
  ...logoFormRoutes,
  ...previewRoutes,
  ...componentRoutes,
]
