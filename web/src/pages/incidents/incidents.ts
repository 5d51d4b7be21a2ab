import type { Incident, IncidentImpact } from '@probe-mesh/contracts/incident/incident'
import type { Ask } from '../../api/ask.ts'
import { emptyForm, type FormState, type Typed } from '../../html/components/form.ts'
import { askCheckNames, namesById } from '../check-names.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import { subscriptionsOf } from '../subscribers/subscriptions-text.ts'
import { typedOf } from '../typed.ts'
import { html } from '@probe-mesh/runtime/html'
import { incidentTabs, postAction, showOutages } from '../outages/outages.ts'
import { incidentListPage } from './incident-list-page.ts'
import { actOf, withTemplate } from './incident-form.ts'
import { incidentHead, incidentPage } from './incident-page.ts'
import { newIncidentRoutes } from './new-incident.ts'

const area = 'incidents'
/** Each incident includes its whole timeline: few at first, at most the API's limit. */
const listed = { first: 100, most: 500 } as const

/** The check by which the cause of an incident is looked for: the first of its checks that is down. */
const downFirst = ({ checkId, members = [] }: Incident): string =>
  members.find(({ downUntil }) => downUntil === null)?.checkId ?? checkId

/** @param asked.ticked null: the components of the incident */
const show = async (
  ask: Ask,
  id: string,
  asked: { form: FormState; ticked: ReadonlySet<string> | null },
  status = 200,
): Promise<Outcome> => {
  const nowMs = Date.now()
  const [answer, pages, mailed] = await Promise.all([
    ask('getIncident', { params: { id } }),
    ask('listStatusPages', {}),
    ask('listSubscribers', { query: { limit: 1 } }),
  ])
  if (!answer.ok) return refused(answer)
  if (!pages.ok) return refused(pages)
  if (!mailed.ok) return refused(mailed)
  const incident = answer.value
  const { statusPageId, checkId, title, members = [], startedAt, resolvedAt } = incident
  const page = pages.value.statusPages.find((each) => each.id === statusPageId) ?? null
  const [checks, published, outages, errors, cause] = await Promise.all([
    askCheckNames(ask, [checkId, ...members.map((member) => member.checkId)]),
    page === null ? null : ask('listComponents', { params: { id: statusPageId } }),
    ask('listOutages', { query: { limit: outagesMax, ...outageTime(startedAt, resolvedAt) } }),
    ask('getErrorMarks', { query: timeOf(incident, nowMs) }),
    incident.source === 'manual' || resolvedAt !== null
      ? null
      : ask('getCheckCause', { params: { id: downFirst(incident) } }),
  ])
  if (!checks.ok) return refused(checks)
  if (published?.ok === false) return refused(published)
  const shown = {
    incident,
    page,
    components: published?.value.components ?? [],
    checkNames: namesById(checks.value),
    confirmed: subscriptionsOf(mailed.value.counts, statusPageId).confirmed,
    outages: outages.ok
      ? { ok: true as const, value: outages.value.outages.filter((one) => one.incidentIds.includes(id)) }
      : outages,
    errors,
    cause,
  }
  const ticked = asked.ticked ?? new Set(incident.componentIds)
  const main = incidentPage(shown, { form: asked.form, ticked, nowMs })
  const crumbs = [{ path: '/dashboard/incidents?view=posted', text: 'Posted' }]
  return { kind: 'page', title, area, crumbs, status, ...incidentHead(shown), main }
}

const outagesMax = 100

/** The period for overlapping outages; an incident resolved at once lasts a millisecond. */
const outageTime = (startedAt: string, resolvedAt: string | null): { from: string; to?: string } => {
  if (resolvedAt === null) return { from: startedAt }
  const endMs = Math.max(Date.parse(resolvedAt), Date.parse(startedAt) + 1)
  return { from: startedAt, to: new Date(endMs).toISOString() }
}

const daysMax = 90

/** The period of an incident, until now if it is open; only the last days of a very long one. */
const timeOf = ({ startedAt, resolvedAt }: Incident, nowMs: number): { since: string; until: string } => {
  const untilMs = Math.max(Date.parse(startedAt) + 1, Date.parse(resolvedAt ?? '') || nowMs)
  const sinceMs = Math.max(Date.parse(startedAt), untilMs - daysMax * 86_400_000)
  return { since: new Date(sinceMs).toISOString(), until: new Date(untilMs).toISOString() }
}

/** Incidents: listed, posted, shown with their timeline, and updated. */
export const incidentRoutes: readonly MemberRoute[] = [
  get('/dashboard/incidents', async ({ ask, query }) => {
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
    const list = incidentListPage(incidents, names, { limit, more: listed.most, nowMs: Date.now() })
    const main = html`${incidentTabs('posted')} ${list}`
    return { kind: 'page', title: 'Incidents', area, actions: postAction, main }
  }),
  ...newIncidentRoutes,
  get('/dashboard/incidents/:id', ({ ask, params }) =>
    show(ask, params['id'] ?? '', { form: emptyForm, ticked: null }),
  ),
  post('/dashboard/incidents/:id/updates', async ({ ask, params, form }) => {
    const id = params['id'] ?? ''
    const typed = typedOf(form)
    const hasSubject = form.has('subject')
    const ticked = hasSubject ? new Set(form.getAll('componentIds')) : null
    const act = actOf(form.get('act'))
    if (act !== null) {
      const next = act === 'preview' ? typed : withTemplate(typed, act.template)
      return show(ask, id, { form: { typed: next, message: null, problems: [] }, ticked })
    }
    const found = await ask('getIncident', { params: { id } })
    if (!found.ok) return refused(found)
    const update = { status: typed['status'] as 'resolved', body: typed['body'] ?? '' }
    const change = hasSubject ? changeOf(found.value, typed, form.getAll('componentIds')) : {}
    const posted = await ask('updatePageIncident', { params: { id }, body: { ...update, ...change } })
    if (posted.ok) return { kind: 'elsewhere', path: `/dashboard/incidents/${id}`, done: 'incident-updated' }
    const { problem } = posted
    return show(ask, id, { form: refusedForm(typed, problem), ticked }, problem.status)
  }),
]

/**
 * The changes that a form makes to an incident. Unchanged values are left out, so the measured impact and
 * components of an automatic incident stay measured.
 */
const changeOf = (
  incident: Incident,
  { title, impact }: Typed,
  ticked: readonly string[],
): { title?: string; impact?: IncidentImpact; componentIds?: string[] } => {
  const now = new Set(incident.componentIds)
  const isSame = now.size === ticked.length && ticked.every((id) => now.has(id))
  return {
    ...(title !== undefined && title !== incident.title && { title }),
    ...(impact !== undefined && impact !== (incident.impact ?? 'minor') && { impact: impact as 'minor' }),
    ...(!isSame && { componentIds: [...ticked] }),
  }
}
