import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { Ask } from '../../api/ask.ts'
import { emptyForm } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { askCheckNames } from '../check-names.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { subscriptionsOf } from '../subscribers/subscriptions-text.ts'
import { typedOf } from '../typed.ts'
import { html } from '@probe-mesh/runtime/html'
import { incidentTabs, postAction, showOutages } from '../outages/outages.ts'
import { incidentListPage } from './incident-list-page.ts'
import { incidentPage } from './incident-page.ts'
import { newIncidentRoutes } from './new-incident.ts'

const area = 'incidents'
/** An incident comes with its whole timeline: few at first, and at most what the API gives at once. */
const listed = { first: 100, most: 500 } as const

const show = async (ask: Ask, id: string, form: FormState, status = 200): Promise<Outcome> => {
  const [answer, pages, mailed] = await Promise.all([
    ask('getIncident', { params: { id } }),
    ask('listStatusPages', {}),
    ask('listSubscribers', { query: { limit: 1 } }),
  ])
  if (!answer.ok) return refused(answer)
  if (!pages.ok) return refused(pages)
  if (!mailed.ok) return refused(mailed)
  const { statusPageId, checkId, title, members = [] } = answer.value
  const [checks, errors] = await Promise.all([
    askCheckNames(ask, [checkId, ...members.map((member) => member.checkId)]),
    ask('getErrorMarks', { query: timeOf(answer.value, Date.now()) }),
  ])
  if (!checks.ok) return refused(checks)
  const main = incidentPage(
    {
      incident: answer.value,
      pageName: pages.value.statusPages.find((page) => page.id === statusPageId)?.name ?? statusPageId,
      checkNames: new Map(checks.value.map(({ id, name }) => [id, name])),
      subscriptions: subscriptionsOf(mailed.value.counts, statusPageId),
      errors,
    },
    form,
  )
  return { kind: 'page', title, area, status, main }
}

const daysMax = 90

/** The time of an incident, until now where it is open; of a very long one its last days. */
const timeOf = ({ startedAt, resolvedAt }: Incident, nowMs: number): { since: string; until: string } => {
  const untilMs = Math.max(Date.parse(startedAt) + 1, Date.parse(resolvedAt ?? '') || nowMs)
  const sinceMs = Math.max(Date.parse(startedAt), untilMs - daysMax * 86_400_000)
  return { since: new Date(sinceMs).toISOString(), until: new Date(untilMs).toISOString() }
}

/** Incidents: listed, opened, shown with their timeline, and gone on with. */
export const incidentRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path: '/dashboard/incidents',
    serve: async ({ ask, query }) => {
      if (query.get('view') !== 'posted') return showOutages(ask, query, Date.now())
      const limit = query.get('limit') === String(listed.most) ? listed.most : listed.first
      const [answer, pages] = await Promise.all([
        ask('listIncidents', { query: { limit } }),
        ask('listStatusPages', {}),
      ])
      if (!answer.ok) return refused(answer)
      if (!pages.ok) return refused(pages)
      const { incidents } = answer.value
      const checks = await askCheckNames(
        ask,
        incidents.map(({ checkId }) => checkId),
      )
      if (!checks.ok) return refused(checks)
      const names = { pages: pages.value.statusPages, checks: checks.value }
      const list = incidentListPage(incidents, names, { limit, more: listed.most })
      const main = html`${incidentTabs('posted')} ${list}`
      return { kind: 'page', title: 'Incidents', area, actions: postAction, main }
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
