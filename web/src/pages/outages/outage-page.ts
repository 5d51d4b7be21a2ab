import type { CheckDetail } from '@probe-mesh/contracts/check/check'
import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { DeliveryState } from '@probe-mesh/contracts/channel/channel'
import type { OutageDetail } from '@probe-mesh/contracts/overview/outage-log'
import { card, emptyState, stats } from '../../html/components/card.ts'
import type { PageHead } from '../../html/components/page-head.ts'
import { table } from '../../html/components/table.ts'
import { checkWords, tag } from '../../html/components/tag.ts'
import { named, none, shortDuration, time } from '../../html/measures.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { incidentWords } from '../../html/publish-words.ts'
import { regionLabel } from '../../html/components/region-marks.ts'
import { outageChart, type History } from '../checks/history-card.ts'
import { readingTable } from '../checks/readings-page.ts'
import { lastedOf } from '../outage-table.ts'
import { outageWords, regionsText } from '../outage-words.ts'

/** The check with the measurements of that time. */
export type Around = { check: CheckDetail } & Pick<History, 'series' | 'regions'>

export const outageHead = (
  outage: OutageDetail,
  nowMs: number,
): Pick<PageHead, 'state' | 'about' | 'actions'> => {
  const newest = outage.incidentIds.at(-1)
  return {
    state: html`<span data-live="state">${tag(outageWords[outage.status])}</span>`,
    about: html`<bdi>${outage.reason ?? 'no reason recorded'}</bdi>`,
    actions: html`<a class="button" href="${aroundPath(outage, nowMs)}">Open in check</a> ${
        newest === undefined
          ? html`<a class="button primary" href="/dashboard/incidents/new?check=${outage.checkId}"
              >Post an incident</a
            >`
          : html`<a class="button primary" href="/dashboard/incidents/${newest}#update">Post an update</a>`
      }`,
  }
}

const halfHourMs = 1_800_000

/** From half an hour before an outage to half an hour after it, at most until now. */
export const timeAround = (
  { startedAt, endedAt }: Pick<OutageDetail, 'startedAt' | 'endedAt'>,
  nowMs: number,
): { fromMs: number; toMs: number } => ({
  fromMs: Date.parse(startedAt) - halfHourMs,
  toMs: endedAt === null ? nowMs : Math.min(nowMs, Date.parse(endedAt) + halfHourMs),
})

/** The check's page at that time. */
const aroundPath = (outage: OutageDetail, nowMs: number): string => {
  const { fromMs, toMs } = timeAround(outage, nowMs)
  return `/dashboard/checks/${outage.checkId}?from=${fromMs}&to=${toMs}#history`
}

const eventWords = {
  alert: 'Alert',
  reminder: 'Reminder',
  recovery: 'Recovery',
  acknowledged: 'Acknowledgement',
  resolved: 'End of messages',
  escalation: 'Escalation',
} as const
const stateWords: Readonly<Record<DeliveryState, string>> = {
  pending: 'waiting',
  delivered: 'delivered',
  dead: 'failed',
  kept: 'not sent (no mail server)',
}

/** One outage: duration, regions, changes, notifications and posts. */
export const outagePage = (
  outage: OutageDetail,
  { around, posts, nowMs }: { around: Around | null; posts: readonly Incident[]; nowMs: number },
): Html => {
  const { readings, alerts, unmeasuredSeconds, startedAt, endedAt } = outage
  const regions = outage.regions.length
  return html`<div data-live="figures">
      ${stats([
        {
          label: 'Down for',
          value: lastedOf(outage, nowMs),
          ...(endedAt === null && { tone: 'bad' as const }),
          ...(unmeasuredSeconds > 0 && { note: `and ${shortDuration(unmeasuredSeconds)} without data` }),
        },
        {
          label: 'Started',
          value: time(startedAt),
          ...(outage.maintenance && { note: 'during maintenance' }),
        },
        { label: 'Ended', value: endedAt === null ? 'not yet' : time(endedAt) },
        { label: 'Regions', value: regions === 0 ? none : regions, note: regionsText(outage) },
        { label: 'Messages', value: outage.alertsSent, note: 'delivered' },
      ])}
    </div>
    ${
      around !== null &&
      card(
        { id: 'chart', title: 'Response time', about: '30 minutes before and after' },
        html`<div data-live="chart">${outageChart(around.check, around, outage)}</div>`,
      )
    }
    <div class="cards">
      ${card({ id: 'timeline', title: 'Timeline' }, timelineOf(outage, posts))}
      ${card({ id: 'regions', title: 'Regions' }, regionsOf(outage))}
    </div>
    ${card(
      { id: 'messages', title: 'Messages' },
      alerts.length === 0
        ? emptyState({
            icon: 'alert',
            title: 'No messages',
            text: 'No alert rule applied to this outage.',
            action: { path: '/dashboard/rules', text: 'Open alert rules' },
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
    ${card({ id: 'posts', title: 'Posts on status pages' }, postsOf(outage, posts))}
    ${
      outage.checkType !== 'heartbeat' &&
      card(
        { id: 'readings', title: 'Readings at its start' },
        readings === null
          ? html`<p class="problems">History is delayed, so the readings are missing.</p>`
          : readings.length === 0
            ? html`<p class="muted">No reading of that time is stored.</p>`
            : readingTable('The newest reading of each region up to the start', readings),
      )
    }`
}

const actWords = {
  acknowledge: 'Acknowledged',
  snooze: 'Snoozed',
  resolve: 'Messages ended',
} as const

type Moment = { at: string; what: Html; text: string | null }

/** Events in order: changes of status, messages, and posts. */
const timelineOf = ({ flips, alerts, acts, escalations }: OutageDetail, posts: readonly Incident[]): Html => {
  const moments: Moment[] = [
    ...flips.map(({ at, to, reason }) => ({ at, what: tag(checkWords[to]), text: reason })),
    ...alerts.map(({ at, event, receiver }) => ({
      at,
      what: html`<strong>${eventWords[event]} sent</strong>`,
      text: receiver,
    })),
    ...acts.map(({ at, kind, by, until }) => ({
      at,
      what: html`<strong>${actWords[kind]} by <bdi>${by}</bdi></strong
        >${until !== null && html` until ${time(until)}`}`,
      text: null,
    })),
    ...escalations.map(({ at, policy, level, round, receivers, gaps }) => ({
      at,
      what: html`<strong
        >Level ${level} of <bdi>${policy}</bdi>${round > 1 && `, repeat ${round - 1}`}</strong
      >`,
      text: [
        receivers === 1 ? '1 receiver' : `${receivers} receivers`,
        ...gaps.map((gap) => `no one is on call in ${gap}`),
      ].join(', '),
    })),
    ...posts.map(({ id, startedAt, title }) => ({
      at: startedAt,
      what: html`<strong><a href="/dashboard/incidents/${id}">Incident posted</a></strong>`,
      text: title,
    })),
  ]
  return html`<ol class="timeline" data-live="timeline">
    ${moments
      .toSorted((a, b) => a.at.localeCompare(b.at))
      .map(
        ({ at, what, text }) =>
          html`<li>
            <p>${what} <span class="muted">${time(at)}</span></p>
            ${text !== null && html`<p><bdi>${text}</bdi></p>`}
          </li> `,
      )}
  </ol>`
}

const regionsOf = ({ regions, readings }: OutageDetail): Html =>
  regions.length === 0
    ? html`<p class="muted">A heartbeat is measured in no region.</p>`
    : html`<ul class="row-list">
        ${regions.map((region) => {
          const reason = readings?.find((reading) => reading.region === region)?.reason ?? null
          return html`<li>
            ${regionLabel(region)} ${reason !== null && html`<bdi class="muted">${reason}</bdi>`}
          </li> `
        })}
      </ul>`

const postsOf = ({ checkId, incidentIds }: OutageDetail, posts: readonly Incident[]): Html =>
  incidentIds.length === 0
    ? emptyState({
        icon: 'incident',
        title: 'Nothing posted',
        text: 'Visitors of status pages read nothing about this outage.',
        action: { path: `/dashboard/incidents/new?check=${checkId}`, text: 'Post an incident' },
      })
    : html`<ul class="row-list">
          ${posts.map(
            ({ id, title, status, startedAt }) =>
              html`<li>
                <a href="/dashboard/incidents/${id}">${named(title)}</a> ${tag(incidentWords[status])}
                <span class="muted">${time(startedAt)}</span>
              </li> `,
          )}
        </ul>
        ${incidentIds.length > posts.length && html`<p class="muted small-print">and ${incidentIds.length - posts.length} earlier posts</p>`}`
