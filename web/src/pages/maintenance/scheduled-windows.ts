import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import type { Ask } from '../../api/ask.ts'
import { emptyForm } from '../../html/components/form.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import { typedOf } from '../typed.ts'
import { begunPage, cancelPage } from './maintenance-pages.ts'
import { readChange, windowForm, type WindowForm } from './window-form.ts'

const area = 'maintenance'

const begun = (window: MaintenanceWindow): Outcome => ({
  kind: 'page',
  title: 'Maintenance cannot be changed',
  area,
  main: begunPage(window),
})

const showChange = async (
  ask: Ask,
  window: MaintenanceWindow,
  asked: WindowForm,
  status = 200,
): Promise<Outcome> => {
  const params = { id: window.statusPageId }
  const [page, published] = await Promise.all([
    ask('getStatusPage', { params }),
    ask('listComponents', { params }),
  ])
  if (!page.ok) return refused(page)
  if (!published.ok) return refused(published)
  const own = `/dashboard/maintenance/${window.id}`
  const main = windowForm(page.value, published.value.components, asked, {
    path: `${own}/change`,
    window,
    submit: 'Save maintenance',
    cancelPath: own,
  })
  const crumbs = [{ path: own, text: window.title }]
  return { kind: 'page', title: 'Edit maintenance', area, crumbs, about: page.value.name, status, main }
}

/** Windows that have not started: edited, and cancelled after a confirmation. */
export const scheduledWindowRoutes = ({ now }: { now: () => number }): readonly MemberRoute[] => [
  get('/dashboard/maintenance/:id/change', async ({ ask, params, zone }) => {
    const window = await ask('getMaintenance', { params: { id: params['id'] ?? '' } })
    if (!window.ok) return refused(window)
    if (window.value.state !== 'scheduled') return begun(window.value)
    const ticked = new Set(window.value.componentIds)
    return showChange(ask, window.value, { form: emptyForm, ticked, zone, nowMs: now() })
  }),
  post('/dashboard/maintenance/:id/change', async ({ ask, params, form, zone }) => {
    const id = params['id'] ?? ''
    const window = await ask('getMaintenance', { params: { id } })
    if (!window.ok) return refused(window)
    if (window.value.state !== 'scheduled') return begun(window.value)
    const typed = typedOf(form)
    const componentIds = form.getAll('componentIds')
    const asked = { ticked: new Set(componentIds), zone, nowMs: now() }
    if (form.get('act') === 'preview') {
      return showChange(ask, window.value, { ...asked, form: { typed, message: null, problems: [] } })
    }
    const body = readChange(typed, { endsAt: window.value.endsAt, componentIds })
    const changed = await ask('updateMaintenance', { params: { id }, body })
    if (changed.ok) return { kind: 'elsewhere', path: `/dashboard/maintenance/${id}`, done: 'window-saved' }
    const { problem } = changed
    return showChange(ask, window.value, { ...asked, form: refusedForm(typed, problem) }, problem.status)
  }),
  get('/dashboard/maintenance/:id/cancel', async ({ ask, params }) => {
    const window = await ask('getMaintenance', { params: { id: params['id'] ?? '' } })
    if (!window.ok) return refused(window)
    if (window.value.state !== 'scheduled') return begun(window.value)
    const main = cancelPage(window.value)
    return { kind: 'page', title: 'Cancel maintenance?', area, main }
  }),
  post('/dashboard/maintenance/:id/cancel', async ({ ask, params }) => {
    const cancelled = await ask('cancelMaintenance', { params: { id: params['id'] ?? '' } })
    return cancelled.ok
      ? { kind: 'elsewhere', path: '/dashboard/maintenance', done: 'window-cancelled' }
      : refused(cancelled)
  }),
]
