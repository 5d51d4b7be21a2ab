import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import type { Ask } from '../../api/ask.ts'
import { emptyForm } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { typedOf } from '../typed.ts'
import { begunPage, cancelPage, changePage } from './maintenance-pages.ts'
import { readChange } from './read-window.ts'

const area = 'maintenance'

const begun = (window: MaintenanceWindow): Outcome => ({
  kind: 'page',
  title: 'It has begun or is over',
  area,
  main: begunPage(window),
})

const showChange = async (
  ask: Ask,
  window: MaintenanceWindow,
  asked: { form: FormState; ticked: ReadonlySet<string>; nowMs: number },
  status = 200,
): Promise<Outcome> => {
  const published = await ask('listComponents', { params: { id: window.statusPageId } })
  if (!published.ok) return refused(published)
  const main = changePage(window, published.value.components, asked)
  return { kind: 'page', title: 'Change this maintenance', area, status, main }
}

/** Windows that have not begun: changed, and cancelled after a page that says what follows. */
export const scheduledWindowRoutes = ({ now }: { now: () => number }): readonly MemberRoute[] => [
  {
    method: 'GET',
    path: '/dashboard/maintenance/:id/change',
    serve: async ({ ask, params }) => {
      const window = await ask('getMaintenance', { params: { id: params['id'] ?? '' } })
      if (!window.ok) return refused(window)
      if (window.value.state !== 'scheduled') return begun(window.value)
      const ticked = new Set(window.value.componentIds)
      return showChange(ask, window.value, { form: emptyForm, ticked, nowMs: now() })
    },
  },
  {
    method: 'POST',
    path: '/dashboard/maintenance/:id/change',
    serve: async ({ ask, params, form }) => {
      const id = params['id'] ?? ''
      const window = await ask('getMaintenance', { params: { id } })
      if (!window.ok) return refused(window)
      if (window.value.state !== 'scheduled') return begun(window.value)
      const typed = typedOf(form)
      const componentIds = form.getAll('componentIds')
      const body = readChange(typed, { endsAt: window.value.endsAt, componentIds })
      const changed = await ask('updateMaintenance', { params: { id }, body })
      if (changed.ok) return { kind: 'elsewhere', path: `/dashboard/maintenance/${id}` }
      const { problem } = changed
      const ticked = new Set(componentIds)
      const asked = { form: refusedForm(typed, problem), ticked, nowMs: now() }
      return showChange(ask, window.value, asked, problem.status)
    },
  },
  {
    method: 'GET',
    path: '/dashboard/maintenance/:id/cancel',
    serve: async ({ ask, params }) => {
      const window = await ask('getMaintenance', { params: { id: params['id'] ?? '' } })
      if (!window.ok) return refused(window)
      if (window.value.state !== 'scheduled') return begun(window.value)
      const main = cancelPage(window.value)
      return { kind: 'page', title: 'Cancel this maintenance?', area, main }
    },
  },
  {
    method: 'POST',
    path: '/dashboard/maintenance/:id/cancel',
    serve: async ({ ask, params }) => {
      const cancelled = await ask('cancelMaintenance', { params: { id: params['id'] ?? '' } })
      return cancelled.ok ? { kind: 'elsewhere', path: '/dashboard/maintenance' } : refused(cancelled)
    },
  },
]
