import type { DeliveryState } from '@probe-mesh/contracts/channel/channel'
import type { OutageDetail } from '@probe-mesh/contracts/overview/outage-log'
import { card, emptyState, stats } from '../../html/components/card.ts'
import type { PageHead } from '../../html/components/page-head.ts'
import { table } from '../../html/components/table.ts'
import { checkWords, tag } from '../../html/components/tag.ts'
import { named, none, shortDuration, time } from '../../html/measures.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { readingTable } from '../checks/readings-page.ts'
import { lastedOf } from './outage-table.ts'
import { outageWords, regionsText } from './outage-words.ts'

export const outageHead = (outage: OutageDetail): Pick<PageHead, 'state' | 'about' | 'actions'> => ({
  state: html`<span data-live="state">${tag(outageWords[outage.status])}</span>`,
  about: html`<bdi>${outage.reason ?? 'no reason recorded'}</bdi>`,
  actions: html`<a class="button" href="${aroundOf(outage)}">See the chart</a>
    <a class="button" href="/dashboard/incidents/new?check=${outage.checkId}">Post an incident</a>`,
})

const halfHourMs = 1_800_000

/** The check's page at the time of the outage, with half an hour around it. */
const aroundOf = ({ checkId, startedAt, endedAt }: OutageDetail): string => {
  const from = Date.parse(startedAt) - halfHourMs
  const to = endedAt === null ? null : Date.parse(endedAt) + halfHourMs
  const path = `/dashboard/checks/${checkId}`
  return to === null ? `${path}?range=1h#history` : `${path}?from=${from}&to=${to}#history`
}

const eventWords = { alert: 'Alert', reminder: 'Reminder', recovery: 'Recovery' } as const
const stateWords: Readonly<Record<DeliveryState, string>> = {
  pending: 'waiting',
  delivered: 'delivered',
  dead: 'failed',
  kept: 'not sent (no mail server)',
}

/** One outage: how long, where, what changed when, who was notified, what was posted. */
export const outagePage = (outage: OutageDetail, nowMs: number): Html => {
  const { flips, readings, alerts, incidentIds, unmeasuredSeconds, startedAt, endedAt } = outage
  return html`<div data-live="figures">
      ${stats([
        {
          label: 'Down for',
          value: lastedOf(outage, nowMs),
          ...(endedAt === null && { tone: 'bad' as const }),
        },
        { label: 'Started', value: time(startedAt) },
        { label: 'Ended', value: endedAt === null ? 'not yet' : time(endedAt) },
        {
          label: 'Not measured',
          value: shortDuration(unmeasuredSeconds),
          note: 'part of the outage without data',
        },
        {
          label: 'Regions',
          value: regionsText(outage),
          ...(outage.maintenance && { note: 'during maintenance' }),
        },
      ])}
    </div>
    ${card(
      { id: 'timeline', title: 'Timeline' },
      html`<ol class="timeline">
        ${flips.map(
          ({ at, to, reason }) =>
            html`<li>
              <p>${tag(checkWords[to])} <span class="muted">${time(at)}</span></p>
              ${reason !== null && html`<p><bdi>${reason}</bdi></p>`}
            </li>`,
        )}
      </ol>`,
    )}
    ${card(
      { id: 'messages', title: 'Messages' },
      alerts.length === 0
        ? emptyState({
            icon: 'alert',
            title: 'Nobody was notified',
            text: 'No alert rule applied to this outage.',
            action: { path: '/dashboard/rules', text: 'Alert rules' },
          })
        : table(
            'Messages about this outage',
            [
              { heading: 'Message', cell: ({ event }) => eventWords[event] },
              { heading: 'Receiver', cell: ({ receiver }) => (receiver === null ? none : named(receiver)) },
              { heading: 'State', cell: ({ state }) => (state === null ? none : stateWords[state]) },
              { heading: 'Decided', cell: ({ at }) => time(at) },
              { heading: 'Delivered', cell: ({ deliveredAt }) => time(deliveredAt) },
            ],
            alerts,
          ),
    )}
    ${
      incidentIds.length > 0 &&
      card(
        { id: 'posts', title: 'Posts on status pages' },
        html`<ul>
          ${incidentIds.map((id, index) => html`<li><a href="/dashboard/incidents/${id}">Incident ${index + 1}</a></li>`)}
        </ul>`,
      )
    }
    ${card(
      { id: 'readings', title: 'Readings at its start' },
      readings === null
        ? html`<p class="problems">History is delayed, so the readings are missing.</p>`
        : readings.length === 0
          ? html`<p class="muted">No reading is stored of that time.</p>`
          : readingTable('The newest reading of each region up to the start', readings),
    )}`
}
