import { MaintenanceState } from '@probe-mesh/contracts/maintenance/maintenance'
import { html } from '@probe-mesh/runtime/html'
import type { Ask } from '../../api/ask.ts'
import { emptyForm } from '../../html/components/form.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import { typedOf } from '../typed.ts'
import { maintenanceListPage } from './maintenance-list-page.ts'
import { choosePage, endPage, notActivePage } from './maintenance-pages.ts'
import { scheduledWindowRoutes } from './scheduled-windows.ts'
import { readWindow, windowForm, type WindowForm } from './window-form.ts'
import { windowHead, windowPage } from './window-page.ts'

const area = 'maintenance'
const announcePath = '/dashboard/maintenance/new'

/** @param asked.statusPageId null: not chosen yet */
const showAnnounce = async (
  ask: Ask,
  asked: WindowForm & { statusPageId: string | null },
  status = 200,
): Promise<Outcome> => {
  const pages = await ask('listStatusPages', {})
  if (!pages.ok) return refused(pages)
  const { statusPages } = pages.value
  const id = asked.statusPageId ?? (statusPages.length === 1 ? statusPages[0]?.id : undefined)
  const title = 'Announce maintenance'
  if (id === undefined) {
    return { kind: 'page', title, area, about: 'Choose the status page.', main: choosePage(statusPages) }
  }
  const params = { id }
  const [page, published] = await Promise.all([
    ask('getStatusPage', { params }),
    ask('listComponents', { params }),
  ])
  if (!page.ok) return refused(page)
  if (!published.ok) return refused(published)
  const main = windowForm(page.value, published.value.components, asked, {
    path: announcePath,
    submit: 'Announce maintenance',
    cancelPath: '/dashboard/maintenance',
  })
  return { kind: 'page', title, area, about: page.value.name, status, main }
}

/**
 * Maintenance: listed, announced, and ended after a confirmation.
 * @param means.now Unix milliseconds
 */
export const maintenanceRoutes = ({ now }: { now: () => number }): readonly MemberRoute[] => [
  get('/dashboard/maintenance', async ({ ask, query }) => {
    const state = MaintenanceState.safeParse(query.get('state')).data ?? null
    const cursor = query.get('cursor')
    const [windows, pages] = await Promise.all([
      ask('listMaintenance', {
        query: { ...(state !== null && { state }), ...(cursor !== null && { cursor }) },
      }),
      ask('listStatusPages', {}),
    ])
    if (!windows.ok) return refused(windows)
    if (!pages.ok) return refused(pages)
    const { maintenanceWindows, nextCursor = null } = windows.value
    const main = maintenanceListPage(maintenanceWindows, pages.value.statusPages, { state, nextCursor })
    const actions = html`<a class="button primary" href="${announcePath}">Announce maintenance</a>`
    return { kind: 'page', title: 'Maintenance', area, actions, main }
  }),
  get(announcePath, ({ ask, query, zone }) =>
    showAnnounce(ask, {
      statusPageId: query.get('page'),
      form: emptyForm,
      ticked: new Set(),
      zone,
      nowMs: now(),
    }),
  ),
  post(announcePath, async ({ ask, query, form, zone }) => {
    const typed = typedOf(form)
    const statusPageId = typed['statusPageId'] ?? query.get('page') ?? ''
    const componentIds = form.getAll('componentIds')
    const asked = { statusPageId, ticked: new Set(componentIds), zone, nowMs: now() }
    if (form.get('act') === 'preview') {
      return showAnnounce(ask, { ...asked, form: { typed, message: null, problems: [] } })
    }
    const body = readWindow(typed, { statusPageId, componentIds })
    const made = await ask('createMaintenance', { body })
    if (made.ok) return { kind: 'elsewhere', path: '/dashboard/maintenance', done: 'window-saved' }
    const { problem } = made
    return showAnnounce(ask, { ...asked, form: refusedForm(typed, problem) }, problem.status)
  }),
  get('/dashboard/maintenance/:id', async ({ ask, params }) => {
    const window = await ask('getMaintenance', { params: { id: params['id'] ?? '' } })
    if (!window.ok) return refused(window)
    const of = { params: { id: window.value.statusPageId } }
    const [page, published] = await Promise.all([ask('getStatusPage', of), ask('listComponents', of)])
    if (!page.ok) return refused(page)
    if (!published.ok) return refused(published)
    const main = windowPage(window.value, published.value.components)
    return { kind: 'page', title: window.value.title, area, ...windowHead(window.value, page.value), main }
  }),
  get('/dashboard/maintenance/:id/end', async ({ ask, params }) => {
    const [window, pages] = await Promise.all([
      ask('getMaintenance', { params: { id: params['id'] ?? '' } }),
      ask('listStatusPages', {}),
    ])
    if (!window.ok) return refused(window)
    if (!pages.ok) return refused(pages)
    const { value } = window
    if (value.state !== 'active') {
      return { kind: 'page', title: 'Nothing to end', area, main: notActivePage(value) }
    }
    const page = pages.value.statusPages.find(({ id }) => id === value.statusPageId)
    return { kind: 'page', title: 'End this maintenance?', area, main: endPage(value, page) }
  }),
  post('/dashboard/maintenance/:id/end', async ({ ask, params }) => {
    const ended = await ask('endMaintenance', { params: { id: params['id'] ?? '' } })
    if (!ended.ok) return refused(ended)
    // a window that has not started is returned unchanged
    return ended.value.state === 'scheduled'
      ? { kind: 'page', title: 'Nothing to end', area, main: notActivePage(ended.value) }
      : { kind: 'elsewhere', path: '/dashboard/maintenance', done: 'window-ended' }
  }),
  ...scheduledWindowRoutes({ now }),
]
