import type { Attention, AttentionKind, Overview } from '@probe-mesh/contracts/overview/overview'
import type { Alert } from '@probe-mesh/contracts/open-alert/open-alert'
import type { Asked } from '../../api/ask.ts'
import { card, emptyState, stats } from '../../html/components/card.ts'
import { icon, type IconName } from '../../html/components/icon.ts'
import { regionClass, regionLabel } from '../../html/components/region-marks.ts'
import { checkWords, tag, type Wording } from '../../html/components/tag.ts'
import { elapsed, exactTime, milliseconds, named, none, percent, time } from '../../html/measures.ts'
import { incidentWords } from '../../html/publish-words.ts'
import { regionMap } from '../../charts/map/region-map.ts'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { alertLines } from '../alerts/open-alert.ts'
import { outageRows } from '../outage-table.ts'

type AlertList = { alerts: readonly Alert[] }

/** The first page of the dashboard: present problems, open tasks, and the last day. */
export const overviewPage = (overview: Overview, alerts: Asked<AlertList>, nowMs: number): Html => html`
  <div data-live="overview">
    ${headline(overview, nowMs)} ${figures(overview)} ${openCard(overview, nowMs)}
    <div class="cards">${attentionCard(overview, alerts)} ${regionsCard(overview)}</div>
    ${activityCard(overview)}
  </div>
`

/** `All 11 checks up`, or the number of down checks with the start. */
const headline = ({ checks, openOutages, at }: Overview, nowMs: number): Html => {
  const { byStatus, total } = checks
  const [down, degraded] = [byStatus.down ?? 0, byStatus.degraded ?? 0]
  const silent = (byStatus.stale ?? 0) + (byStatus.unknown ?? 0)
  const active = total - (byStatus.paused ?? 0)
  const line = (tone: Wording['tone'], text: Piece, more: Piece = null): Html =>
    html`<section class="headline ${tone}" aria-label="State">
      <p>${text}</p>
      <p class="note">${more} ${more !== null && '· '}as of ${time(at)}</p>
    </section>`
  if (down > 0) {
    return line(
      'bad',
      html`${down} of ${active} checks down${lasting(openOutages, nowMs)}`,
      html`<a href="/dashboard/checks?status=down">See ${down === 1 ? 'it' : 'them'}</a>`,
    )
  }
  if (degraded > 0) {
    return line(
      'uncertain',
      `${degraded} of ${active} checks degraded`,
      html`<a href="/dashboard/checks?status=degraded">See them</a>`,
    )
  }
  // no data is never healthy (S-102)
  if (silent > 0) {
    return line('silent', `${active - silent} of ${active} checks up, ${silent} without recent data`)
  }
  return line('good', active === 1 ? 'The check is up' : `All ${active} checks up`)
}

/** ` for 2m`, or of several `: newest for 2m, oldest for 16m`. */
const lasting = ({ total, oldestAt, newestAt }: Overview['openOutages'], nowMs: number): Piece => {
  if (oldestAt === null || newestAt === null) return null
  if (total === 1) return html` for ${elapsed(oldestAt, nowMs)}`
  return html`: newest for ${elapsed(newestAt, nowMs)}, oldest for ${elapsed(oldestAt, nowMs)}`
}

const figures = ({ checks, uptime, latency, openIncidents, openOutages }: Overview): Html => {
  const paused = checks.byStatus.paused ?? 0
  const up = checks.byStatus.operational ?? 0
  return stats([
    {
      label: 'Checks up',
      value: `${up} / ${checks.total - paused}`,
      path: '/dashboard/checks',
      note: paused === 0 ? 'of all checks' : `${paused} paused`,
    },
    { label: 'Uptime, 30 days', value: percent(uptime.month), note: html`counted ${time(uptime.at)}` },
    latency === null
      ? { label: 'p95, last hour', value: none, note: 'history is delayed' }
      : {
          label: 'p95, last hour',
          value: milliseconds(latency.p95Ms),
          note: `median ${milliseconds(latency.p50Ms)}`,
        },
    {
      label: 'Open outages',
      value: openOutages.total,
      path: '/dashboard/incidents?open=true',
      ...(openOutages.total > 0 && { tone: 'bad' as const }),
    },
    { label: 'Open incidents', value: openIncidents.total, path: '/dashboard/incidents?view=posted' },
  ])
}

const openCard = ({ openOutages, openIncidents }: Overview, nowMs: number): Html | null => {
  if (openOutages.total === 0 && openIncidents.total === 0) return null
  const more = openOutages.total - openOutages.worst.length
  return html`${
    openOutages.worst.length > 0 &&
    html`<h2>Down now</h2>
      ${outageRows(openOutages.worst, { nowMs, withCheck: true })}
      ${more > 0 && html`<p><a href="/dashboard/incidents?open=true">${more} more</a></p>`}`
  }
  ${
    openIncidents.newest.length > 0 &&
    card(
      { id: 'posted', title: 'Posted incidents' },
      html`<ul class="plain-list lines">
        ${openIncidents.newest.map(
          ({ id, title, status, startedAt }) =>
            html`<li>
              ${tag(incidentWords[status])}
              <a href="/dashboard/incidents/${id}">${named(title)}</a>
              <span class="muted">${time(startedAt)}</span>
            </li>`,
        )}
      </ul>`,
    )
  }`
}

type AttentionText = {
  icon: IconName
  text: (count: number) => string
  path: (id: string | undefined) => string
}

const checkPath = (id: string | undefined): string =>
  id === undefined ? '/dashboard/checks' : `/dashboard/checks/${id}`
const plural = (count: number, one: string, many: string): string =>
  count === 1 ? one : many.replace('%', String(count))

const noOne = (count: number): string =>
  `No one would be notified of an outage of ${plural(count, '1 check', '% checks')}.`

const attentionTexts: Readonly<Record<AttentionKind, AttentionText>> = {
  no_channel: {
    icon: 'channel',
    text: (count) => `${noOne(count)} No rule mails a person, and there is no channel yet. Add a channel`,
    path: () => '/dashboard/channels/new',
  },
  no_receiver: {
    icon: 'alert',
    text: (count) =>
      `${noOne(count)} Change a rule so that it covers ${count === 1 ? 'it' : 'them'} and reaches a tested channel, a member or a confirmed address`,
    path: () => '/dashboard/rules',
  },
  channel_failing: {
    icon: 'channel',
    text: (count) => plural(count, 'A channel fails', '% channels fail'),
    path: (id) => (id === undefined ? '/dashboard/channels' : `/dashboard/channels/${id}`),
  },
  stale: {
    icon: 'check',
    text: (count) => plural(count, 'A check is stale', '% checks are stale'),
    path: checkPath,
  },
  never_measured: {
    icon: 'check',
    text: (count) => plural(count, 'A check was never measured', '% checks were never measured'),
    path: checkPath,
  },
  certificate_expiring: {
    icon: 'warning',
    text: (count) => plural(count, 'A certificate expires soon', '% certificates expire soon'),
    path: checkPath,
  },
  domain_expiring: {
    icon: 'warning',
    text: (count) => plural(count, 'A domain expires soon', '% domains expire soon'),
    path: checkPath,
  },
  channel_unverified: {
    icon: 'channel',
    text: (count) => plural(count, 'A channel is not tested', '% channels are not tested'),
    path: (id) => (id === undefined ? '/dashboard/channels' : `/dashboard/channels/${id}`),
  },
  never_pinged: {
    icon: 'heartbeat',
    text: (count) => plural(count, 'A heartbeat was never pinged', '% heartbeats were never pinged'),
    path: checkPath,
  },
}

const alertsShown = 5

/** Alerts that no one has taken come first. */
const attentionCard = ({ attention }: Overview, alerts: Asked<AlertList>): Html => {
  const open = alerts.ok ? alerts.value.alerts.filter(({ resolvedAt }) => resolvedAt === null) : []
  const untaken = open.filter(({ acknowledgedAt }) => acknowledgedAt === null)
  const shown = [...untaken, ...open.filter((alert) => !untaken.includes(alert))].slice(0, alertsShown)
  const more = open.length - shown.length
  return card(
    { id: 'attention', title: 'Needs attention' },
    attention.length === 0 && open.length === 0 && alerts.ok
      ? emptyState({
          icon: 'ok',
          title: 'Nothing',
          text: 'Channels, rules, certificates and heartbeats are fine.',
        })
      : html`<ul class="plain-list lines">
          ${!alerts.ok && html`<li>${icon('alert')}<span>Open alerts could not be read.</span></li>`}
          ${alertLines(shown)}
          ${more > 0 && html`<li>${icon('alert')}<a href="/dashboard/checks?status=down">${more} more alerts</a></li>`}
          ${attention.map(attentionLine)}
        </ul>`,
  )
}

const attentionLine = ({ kind, count, items }: Attention): Html => {
  const { icon: iconName, text, path } = attentionTexts[kind]
  const [first] = items
  return html`<li>
    ${icon(iconName)}
    <span>
      <a href="${path(items.length === 1 ? first?.id : undefined)}">${text(count)}</a>
      ${
        items.length > 0 &&
        html`<span class="muted small-print">
          ${items.map(({ id, name, at }, index) => html`${index > 0 && ', '}<a href="${path(id)}">${named(name)}</a>${at !== null && html` ${kind.endsWith('expiring') ? exactTime(at) : time(at)}`}`)}${count > items.length && ` and ${count - items.length} more`}
        </span>`
      }
    </span>
  </li>`
}

const agentWords: Readonly<Record<Overview['regions'][number]['state'], Wording>> = {
  online: { tone: 'good', text: 'Online' },
  quarantined: { tone: 'uncertain', text: 'Quarantined' },
  offline: { tone: 'bad', text: 'Offline' },
  unknown: { tone: 'silent', text: 'Unknown' },
}

const mapTones = { online: 'good', quarantined: 'silent', offline: 'bad', unknown: 'silent' } as const

const regionsCard = ({ regions, vantage }: Overview): Html =>
  card(
    { id: 'mesh', title: 'Regions', actions: html`<a href="/dashboard/mesh">Details</a>` },
    html`${regionMap(
        'Regions',
        regions.map(({ region, state, p50Ms }) => ({
          region,
          tone: mapTones[state],
          text: p50Ms === null ? agentWords[state].text : milliseconds(p50Ms),
        })),
      )}
      <ul class="plain-list lines region-lines">
        ${regions.map(
          ({ region, state, agents, checks, p50Ms }) =>
            html`<li class="${regionClass(region)}">
              ${regionLabel(region)} ${tag(agentWords[state])}
              <span class="muted">
                ${agents.online === 1 ? '1 agent' : `${agents.online} agents`} · ${checks} checks · median
                ${milliseconds(p50Ms)}
              </span>
            </li>`,
        )}
      </ul>
      ${vantage === 'local' && html`<p class="muted small-print">All regions are measured from this machine.</p>`}`,
  )

/** Flips, releases and maintenance of the last day in one list, newest first. */
const activityCard = ({ activity }: Overview): Html => {
  const entries: { at: string; line: Html }[] = [
    ...activity.flips.map(({ at, checkId, checkName, to, reason }) => ({
      at,
      line: html`${tag(checkWords[to])}
        <a href="/dashboard/checks/${checkId}">${named(checkName)}</a>
        ${reason !== null && html`<bdi class="muted">${reason}</bdi>`}`,
    })),
    ...activity.releases.map(({ firstSeen, release, projectId, projectName }) => ({
      at: firstSeen,
      line: html`<span class="kind">Release</span> <bdi class="code">${release}</bdi>
        <a href="/dashboard/errors/${projectId}">${named(projectName)}</a>`,
    })),
    ...activity.maintenance.map(({ startsAt, id, title }) => ({
      at: startsAt,
      line: html`<span class="kind">Maintenance</span>
        <a href="/dashboard/maintenance/${id}">${named(title)}</a>`,
    })),
  ].toSorted((a, b) => (a.at < b.at ? 1 : -1))
  return card(
    { id: 'activity', title: 'Last 24 hours' },
    entries.length === 0
      ? emptyState({
          icon: 'overview',
          title: 'Nothing changed',
          text: 'Status changes, releases and maintenance appear here.',
        })
      : html`<ol class="activity">
            ${entries.slice(0, entriesMax).map(({ at, line }) => html`<li>${time(at)} <span>${line}</span></li>`)}
          </ol>
          ${(activity.moreFlips || entries.length > entriesMax) && html`<p class="muted small-print">Older changes are in the outage log.</p>`}`,
  )
}

const entriesMax = 12
