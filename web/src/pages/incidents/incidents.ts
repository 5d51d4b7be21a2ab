import type { Ask, Asked } from '../../api/ask.ts'
import { emptyForm } from '../../html/form.ts'
import type { FormState } from '../../html/form.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { subscriptionsOf } from '../subscribers/subscriptions-text.ts'
import { typedOf } from '../typed.ts'
import { incidentListPage } from './incident-list-page.ts'
import type { NamedThings } from './incident-list-page.ts'
import { incidentPage } from './incident-page.ts'
import { newIncidentRoutes } from './new-incident.ts'

const area = 'incidents'
/** An incident comes with its whole timeline: few at first, and at most what the API gives at once. */
const listed = { first: 100, most: 500 } as const

/** Pages and checks of the account, for their names. */
const nameThings = async (ask: Ask): Promise<Asked<NamedThings>> => {
  const [pages, all] = await Promise.all([ask('listStatusPages', {}), ask('listChecks', {})])
  if (!pages.ok) return pages
  if (!all.ok) return all
  return { ok: true, value: { pages: pages.value.statusPages, checks: all.value.checks } }
}

const show = async (ask: Ask, id: string, form: FormState, status = 200): Promise<Outcome> => {
  const [answer, things, mailed] = await Promise.all([
    ask('getIncident', { params: { id } }),
    nameThings(ask),
    ask('listSubscribers', { query: { limit: 1 } }),
  ])
  if (!answer.ok) return refused(answer)
  if (!things.ok) return refused(things)
  if (!mailed.ok) return refused(mailed)
  const { statusPageId, checkId, title } = answer.value
  const main = incidentPage(
    {
      incident: answer.value,
      pageName: things.value.pages.find((page) => page.id === statusPageId)?.name ?? statusPageId,
      checkName: things.value.checks.find((check) => check.id === checkId)?.name ?? checkId,
      subscriptions: subscriptionsOf(mailed.value.counts, statusPageId),
    },
    form,
  )
  return { kind: 'page', title, area, status, main }
}

/** Incidents: listed, opened, shown with their timeline, and gone on with. */
export const incidentRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path: '/dashboard/incidents',
    serve: async ({ ask, query }) => {
      const limit = query.get('limit') === String(listed.most) ? listed.most : listed.first
      const [answer, things] = await Promise.all([
        ask('listIncidents', { query: { limit } }),
        nameThings(ask),
      ])
      if (!answer.ok) return refused(answer)
      if (!things.ok) return refused(things)
      const shown = { limit, more: listed.most }
      const main = incidentListPage(answer.value.incidents, things.value, shown)
      return { kind: 'page', title: 'Incidents', area, main }
    },
  },
  ...newIncidentRoutes,
  {
    method: 'GET',
    path: '/dashboard/incidents/:id',
    serve: ({ ask, params }) => show(ask, params['id'] ?? '', emptyForm),
  },
  {
    method: 'POST',
    path: '/dashboard/incidents/:id/updates',
    serve: async ({ ask, params, form }) => {
      const id = params['id'] ?? ''
      const typed = typedOf(form)
      const body = { status: typed['status'] as 'resolved', body: typed['body'] ?? '' }
      const said = await ask('addIncidentUpdate', { params: { id }, body })
      if (said.ok) return { kind: 'elsewhere', path: `/dashboard/incidents/${id}` }
      return show(ask, id, refusedForm(typed, said.problem), said.problem.status)
    },
  },
]
