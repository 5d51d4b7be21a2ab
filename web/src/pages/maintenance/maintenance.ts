import type { Ask } from '../../api/ask.ts'
import { emptyForm } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { typedOf } from '../typed.ts'
import { maintenanceListPage } from './maintenance-list-page.ts'
import { announcePage, choosePage, endPage, notActivePage } from './maintenance-pages.ts'
import { scheduledWindowRoutes } from './scheduled-windows.ts'
import { windowPage } from './window-page.ts'
import { readWindow } from './read-window.ts'

const area = 'maintenance'
const listed = 200

/** @param asked.statusPageId null: not said yet */
const showAnnounce = async (
  ask: Ask,
  asked: {
    statusPageId: string | null
    form: FormState
    ticked: ReadonlySet<string>
    nowMs: number
  },
  status = 200,
): Promise<Outcome> => {
  const pages = await ask('listStatusPages', {})
  if (!pages.ok) return refused(pages)
  const { statusPages } = pages.value
  const id = asked.statusPageId ?? (statusPages.length === 1 ? statusPages[0]?.id : undefined)
  const title = 'Announce maintenance'
  if (id === undefined) return { kind: 'page', title, area, main: choosePage(statusPages) }
  const params = { id }
  const [page, published] = await Promise.all([
    ask('getStatusPage', { params }),
    ask('listComponents', { params }),
  ])
  if (!page.ok) return refused(page)
  if (!published.ok) return refused(published)
  const main = announcePage(page.value, published.value.components, asked)
  return { kind: 'page', title, area, status, main }
}

/**
 * Maintenance: listed, announced, ended after a page that says what follows.
 * @param means.now Unix milliseconds: what time it is in UTC is said beside the fields
 */
export const maintenanceRoutes = ({ now }: { now: () => number }): readonly MemberRoute[] => [
  {
    method: 'GET',
    path: '/dashboard/maintenance',
    serve: async ({ ask }) => {
      const [windows, pages] = await Promise.all([
        ask('listMaintenance', { query: { limit: listed } }),
        ask('listStatusPages', {}),
      ])
      if (!windows.ok) return refused(windows)
      if (!pages.ok) return refused(pages)
      const { maintenanceWindows } = windows.value
      const main = maintenanceListPage(maintenanceWindows, pages.value.statusPages, listed)
      return { kind: 'page', title: 'Maintenance', area, main }
    },
  },
  {
    method: 'GET',
    path: '/dashboard/maintenance/new',
    serve: ({ ask, query }) =>
      showAnnounce(ask, {
        statusPageId: query.get('page'),
        form: emptyForm,
        ticked: new Set(),
        nowMs: now(),
      }),
  },
  {
    method: 'POST',
    path: '/dashboard/maintenance/new',
    serve: async ({ ask, query, form }) => {
      const statusPageId = query.get('page') ?? ''
      const typed = typedOf(form)
      const componentIds = form.getAll('componentIds')
      const body = readWindow(typed, { statusPageId, componentIds })
      const made = await ask('createMaintenance', { body })
      if (made.ok) return { kind: 'elsewhere', path: '/dashboard/maintenance' }
      const { problem } = made
      const ticked = new Set(componentIds)
      const asked = { statusPageId, form: refusedForm(typed, problem), ticked, nowMs: now() }
      return showAnnounce(ask, asked, problem.status)
    },
  },
  {
    method: 'GET',
    path: '/dashboard/maintenance/:id',
    serve: async ({ ask, params }) => {
      const window = await ask('getMaintenance', { params: { id: params['id'] ?? '' } })
      if (!window.ok) return refused(window)
      const of = { params: { id: window.value.statusPageId } }
      const [page, published] = await Promise.all([ask('getStatusPage', of), ask('listComponents', of)])
      if (!page.ok) return refused(page)
      if (!published.ok) return refused(published)
      const main = windowPage(window.value, page.value, published.value.components)
      return { kind: 'page', title: window.value.title, area, main }
    },
  },
  {
    method: 'GET',
    path: '/dashboard/maintenance/:id/end',
    serve: async ({ ask, params }) => {
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
    },
  },
  {
    method: 'POST',
    path: '/dashboard/maintenance/:id/end',
    serve: async ({ ask, params }) => {
      const ended = await ask('endMaintenance', { params: { id: params['id'] ?? '' } })
      if (!ended.ok) return refused(ended)
      // what has not started is returned unchanged: that is said, and not passed off as done
      return ended.value.state === 'scheduled'
        ? { kind: 'page', title: 'Nothing to end', area, main: notActivePage(ended.value) }
        : { kind: 'elsewhere', path: '/dashboard/maintenance' }
    },
  },
  ...scheduledWindowRoutes({ now }),
]
