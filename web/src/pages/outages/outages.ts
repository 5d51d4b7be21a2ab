import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { OutageDetail } from '@probe-mesh/contracts/overview/outage-log'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import type { Ask } from '../../api/ask.ts'
import { emptyState } from '../../html/components/card.ts'
import { chips, tabs } from '../../html/components/page-head.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { refused, type Outcome } from '../outcome.ts'
import { get, type MemberRoute } from '../page-route.ts'
import { askSeries } from '../checks/check-detail.ts'
import { outageHead, outagePage, timeAround, type Around } from './outage-page.ts'
import { outageRows } from '../outage-table.ts'

const listPath = '/dashboard/incidents'

/** The three lists: measured outages, incidents on status pages, and maintenance. */
export const incidentTabs = (current: 'outages' | 'posted' | 'maintenance'): Html =>
  tabs('Incidents', [
    { path: listPath, text: 'Outages', isCurrent: current === 'outages' },
    { path: `${listPath}?view=posted`, text: 'Posted', isCurrent: current === 'posted' },
    { path: '/dashboard/maintenance', text: 'Maintenance', isCurrent: current === 'maintenance' },
  ])

/** Every outage of every check, published or not. */
export const showOutages = async (ask: Ask, query: URLSearchParams, nowMs: number): Promise<Outcome> => {
  const isOpenOnly = query.get('open') === 'true'
  const cursor = query.get('cursor')
  const checkId = Uuid.safeParse(query.get('check')).data
  const answer = await ask('listOutages', {
    query: {
      ...(isOpenOnly && { open: 'true' }),
      ...(cursor !== null && { cursor }),
      ...(checkId !== undefined && { checkId }),
    },
  })
  if (!answer.ok) return refused(answer)
  const { outages, nextCursor } = answer.value
  const kept = { ...(isOpenOnly && { open: 'true' }), ...(checkId !== undefined && { check: checkId }) }
  const next = new URLSearchParams({ ...kept, cursor: nextCursor ?? '' })
  const main = html`${incidentTabs('outages')}
    <div class="toolbar">
      ${chips('Outages', [
        { path: listPath, text: 'All', isCurrent: !isOpenOnly },
        { path: `${listPath}?open=true`, text: 'Open', isCurrent: isOpenOnly },
      ])}
    </div>
    <div data-live="outages">
      ${
        outages.length === 0
          ? emptyState({
              icon: 'ok',
              title: isOpenOnly ? 'No outage is open' : 'No outages yet',
              text: 'Each outage of a check is listed here with its duration, regions and reason.',
            })
          : outageRows(outages, { nowMs, withCheck: true })
      }
    </div>
    ${nextCursor !== null && html`<p class="actions"><a class="button" href="${listPath}?${next.toString()}">Older</a></p>`}`
  return { kind: 'page', title: 'Incidents', area: 'incidents', actions: postAction, main }
}

export const postAction: Html = html`<a class="button" href="/dashboard/incidents/new">Post an incident</a>`

/** One outage, at an address in alerts and lists. */
export const outageRoutes: readonly MemberRoute[] = [
  get('/dashboard/outages', async () => ({ kind: 'elsewhere', path: listPath })),
  get('/dashboard/outages/:id', async ({ ask, params }) => {
    const answer = await ask('getOutage', { params: { id: params['id'] ?? '' } })
    if (!answer.ok) return refused(answer)
    const outage = answer.value
    const nowMs = Date.now()
    const [around, posts] = await Promise.all([askAround(ask, outage, nowMs), askPosts(ask, outage)])
    return {
      kind: 'page',
      title: `Outage of ${outage.checkName}`,
      area: 'incidents',
      crumbs: [{ path: `/dashboard/checks/${outage.checkId}`, text: outage.checkName }],
      ...outageHead(outage, nowMs),
      main: outagePage(outage, { around, posts, nowMs }),
    }
  }),
]

/**
 * The chart from half an hour before to half an hour after; null for a heartbeat, or if the check cannot be
 * read.
 */
const askAround = async (ask: Ask, outage: OutageDetail, nowMs: number): Promise<Around | null> => {
  if (outage.checkType === 'heartbeat') return null
  const check = await ask('getCheck', { params: { id: outage.checkId } })
  if (!check.ok) return null
  return { check: check.value, ...(await askSeries(ask, check.value, timeAround(outage, nowMs))) }
}

/** Titles of at most this many posts are read. */
const postsMax = 10

const askPosts = async (ask: Ask, { incidentIds }: OutageDetail): Promise<Incident[]> => {
  const answers = await Promise.all(
    incidentIds.slice(-postsMax).map((id) => ask('getIncident', { params: { id } })),
  )
  return answers.flatMap((answer) => (answer.ok ? [answer.value] : []))
}
