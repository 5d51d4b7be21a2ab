import type { CheckReceivers } from '@probe-mesh/contracts/alert/check-receivers'
import { uptimeOfAge, uptimeWindowsMs, windowsOfAge } from '@probe-mesh/contracts/check/uptime-by-age'
import { fullStatusReason, type CheckDetail, type StoredReading } from '@probe-mesh/contracts/check/check'
import type { Alert } from '@probe-mesh/contracts/open-alert/open-alert'
import type { Asked } from '../../api/ask.ts'
import { card, stats, type Stat, facts } from '../../html/components/card.ts'
import type { Outages } from '@probe-mesh/contracts/overview/outage-log'
import { outageRows } from '../outage-table.ts'
import { menu, type MenuEntry } from '../../html/components/menu.ts'
import { icon } from '../../html/components/icon.ts'
import type { PageHead } from '../../html/components/page-head.ts'
import { historyDelayed } from '../../html/history-delayed.ts'
import { liveStatus } from '../../html/live.ts'
import {
  duration,
  elapsed,
  exactTime,
  milliseconds,
  percent,
  shortDuration,
  time,
  named,
} from '../../html/measures.ts'
import { html, type Html, type Piece, withBreaks } from '@probe-mesh/runtime/html'
import type { CheckCauseAnswer } from '@probe-mesh/contracts/check/check-cause'
import { causeNotice } from '../cause-card.ts'
import type { CheckStatusRule } from '@probe-mesh/contracts/check/status-rule'
import type { CheckNotes } from '@probe-mesh/contracts/check/check-notes'
import type { CheckPause } from '@probe-mesh/contracts/check/check-pause'
import type { CheckParents } from '@probe-mesh/contracts/check/check-parents'
import { dependsCard, heldNotice } from './depends-card.ts'
import { detailsCard, newestOfRegions, type StepNames } from './details-card.ts'
import { alertCard } from '../alerts/open-alert.ts'
import { expirySection } from './expiry-section.ts'
import { heartbeatSection, type HeartbeatEvidence } from './heartbeat-section.ts'
import { historyCard, type History } from './history-card.ts'
import { notifiedCard } from './notified-card.ts'
import { pauseNotice } from './pause-end.ts'
import { regionsCard } from './regions-card.ts'
import { settingsCard } from './settings-card.ts'
import { listPath } from './check-filter.ts'

/** What people know about a check. Nothing if nothing is noted. */
const notesCard = (id: string, found: Asked<CheckNotes>): Html | null => {
  if (!found.ok) return html`<p class="problems">Notes could not be read: ${found.problem.message}</p>`
  const { runbookUrl, notes, owner } = found.value
  if (runbookUrl === null && notes === '' && owner === null) return null
  return card(
    {
      id: 'notes',
      title: 'Runbook and notes',
      actions: html`<a href="/dashboard/checks/${id}/edit">Edit</a>`,
    },
    html`${facts([
      [
        'Runbook',
        runbookUrl !== null &&
          html`<a href="${runbookUrl}" rel="noopener noreferrer nofollow"><bdi>${runbookUrl}</bdi></a>`,
      ],
      ['Owner', owner !== null && html`<a href="${listPath}?owner=${owner.id}">${named(owner.name)}</a>`],
    ])}
    ${notes !== '' && html`<p dir="auto">${withBreaks(notes)}</p>`}`,
  )
}

/** The evidence of a check: the runs of a heartbeat, or the readings of every other type. */
export type CheckEvidence =
  | ({ kind: 'heartbeat'; outages: Asked<Outages> } & HeartbeatEvidence)
  | {
      kind: 'probed'
      history: History
      /** The newest, of every region. */
      readings: Asked<{ readings: readonly StoredReading[] }>
      steps: StepNames
    }

/** The heading: name, state, duration, regions, reason, and actions. */
export const checkHead = (
  check: CheckDetail,
  nowMs: number,
): Pick<PageHead, 'state' | 'actions' | 'about'> => ({
  state: html`<span data-live="state">${liveStatus(check)}</span>`,
  actions: actionsOf(check),
  about: html`<span data-live="about">${aboutOf(check, nowMs)}</span>`,
})

/** `2m 10s · 4 of 4 regions · expected status 200 to 299, got 503` */
const aboutOf = (check: CheckDetail, nowMs: number): Html => {
  const reason = fullStatusReason(check)
  const fresh = check.regionStatuses.filter(({ fresh }) => fresh)
  const failing = fresh.filter(({ status }) => status === 'down')
  const parts: Piece[] = [
    check.statusSince !== null && html`for ${elapsed(check.statusSince, nowMs)}`,
    failing.length > 0 && `${failing.length} of ${fresh.length} regions`,
    reason !== null && html`<strong><bdi>${reason}</bdi></strong>`,
    failing.length === 0 && addressOf(check),
  ]
  return html`${parts.filter((part) => part !== false && part !== null).map((part, index) => [index > 0 && ' · ', part])}`
}

const addressOf = ({ url, target }: Pick<CheckDetail, 'url' | 'target'>): Html | null => {
  const address = url ?? target
  return address === null ? null : html`<bdi class="code">${address}</bdi>`
}

const actionsOf = ({ id, name, type, paused }: CheckDetail): Html => {
  const path = `/dashboard/checks/${id}`
  const entries: MenuEntry[] = [
    ...(type === 'heartbeat'
      ? []
      : [{ text: 'Readings', icon: 'check', path: `${path}/readings` } satisfies MenuEntry]),
    paused
      ? { text: 'Resume', icon: 'resume', posts: `${path}/resume` }
      : { text: 'Pause', icon: 'pause', posts: `${path}/pause` },
    { text: paused ? 'Change end of pause' : 'Pause until', icon: 'pause', path: `${path}/pause` },
    { text: 'Clone', icon: 'clone', posts: `${path}/clone` },
    { text: 'Delete', icon: 'delete', isDanger: true, isConfirmed: true, path: `${path}/delete` },
  ]
  return html`${
      type !== 'heartbeat' &&
      html`<form method="post" action="${path}/run">
        <button type="submit" title="Takes up to 50 s">${icon('run')}Run now</button>
      </form>`
    }
    <a class="button" href="${path}/edit">${icon('edit')}Edit</a>
    ${menu({ icon: 'more', label: `More actions for ${name}` }, entries)}`
}

/** One check with its evidence: figures first, then the chart, each region, and the settings. */
export const checkPage = (
  check: CheckDetail,
  {
    evidence,
    receivers,
    depends,
    notes,
    rule,
    cause,
    alert,
    pause,
  }: {
    evidence: CheckEvidence
    receivers: Asked<CheckReceivers>
    depends: Asked<CheckParents>
    notes: Asked<CheckNotes>
    rule: Asked<CheckStatusRule>
    /** null: it is not down. */
    cause: Asked<CheckCauseAnswer> | null
    alert: Alert | null
    /** null: it is not paused. */
    pause: Asked<CheckPause> | null
  },
  { nowMs, zone }: { nowMs: number; zone: string },
): Html => html`
  ${pauseNotice(pause, { id: check.id, nowMs, zone })} ${heldNotice(depends)} ${causeNotice(cause, check.id)}
  <div data-live="alert">${alert !== null && alertCard(alert, zone)}</div>
  <div data-live="figures">${figures(check, evidence, nowMs)}</div>
  ${notesCard(check.id, notes)} ${evidence.kind === 'probed' ? historyCard(check, evidence.history) : null}
  ${regionsCard(check)}
  ${outagesCard(check.id, evidence.kind === 'probed' ? evidence.history.outages : evidence.outages, nowMs)}
  ${
    evidence.kind === 'heartbeat'
      ? check.heartbeat !== undefined && heartbeatSection(check.id, check.heartbeat, evidence)
      : evidence.readings.ok
        ? detailsCard(
            newestOfRegions(evidence.readings.value.readings),
            evidence.steps,
            evidence.readings.value.readings,
          )
        : html`<p class="problems">
            The last results are not shown. ${historyDelayed(evidence.readings.problem)}
          </p>`
  }
  ${dependsCard(check.id, depends)} ${notifiedCard(receivers)} ${expirySection(check)}
  ${settingsCard(check, rule)}
`

const outagesShown = 5

/** The newest outages of the check, published or not. */
const outagesCard = (id: string, outages: Asked<Outages>, nowMs: number): Html =>
  card(
    {
      id: 'outages',
      title: 'Outages',
      actions: html`<a href="/dashboard/incidents?check=${id}">All outages</a>`,
    },
    html`<div data-live="outages">
      ${
        outages.ok
          ? outages.value.outages.length === 0
            ? html`<p class="muted">None recorded.</p>`
            : outageRows(outages.value.outages.slice(0, outagesShown), { nowMs, withCheck: false })
          : html`<p class="problems">Outages could not be read: ${outages.problem.message}</p>`
      }
    </div>`,
  )

const windows = { day: '24 hours', week: '7 days', month: '30 days', quarter: '90 days' } as const

/** Uptime counts measured time only, so each figure says how much that was, and since when for a younger check. */
const figures = (check: CheckDetail, evidence: CheckEvidence, nowMs: number): Html => {
  const { measuredShare, type, createdAt } = check
  const shown = windowsOfAge(createdAt, nowMs)
  const uptime = uptimeOfAge(check.uptime, createdAt, nowMs)
  const noteOf = (part: keyof typeof windows): Piece => {
    const share = measuredShare[part]
    if (share === null) return 'could not be read'
    if (!shown.has(part)) return 'not so old yet'
    if (Date.parse(createdAt) <= nowMs - uptimeWindowsMs[part]) return `${percent(share)} measured`
    const measured = shortDuration((share * uptimeWindowsMs[part]) / 1_000)
    return html`since ${exactTime(createdAt)}, ${measured} measured`
  }
  return stats([
    ...Object.entries(windows).map(([key, name]) => {
      const part = key as keyof typeof windows
      return { label: `Uptime, ${name}`, value: percent(uptime[part]), note: noteOf(part) }
    }),
    ...(evidence.kind === 'heartbeat' || type === 'heartbeat'
      ? []
      : [
          latencyStat(check, evidence.history),
          {
            label: 'Last measured',
            value: check.measuredAt === null ? 'never' : time(check.measuredAt),
            note: `stale after ${duration(check.staleAfterSeconds)}`,
          },
        ]),
  ])
}

/** p95 of the window in the chart, and the latency of the last readings. */
const latencyStat = ({ regionStatuses }: CheckDetail, { regions, choice }: History): Stat => {
  const latencies = regionStatuses.flatMap(({ fresh, latencyMs }) =>
    fresh && latencyMs !== null ? [latencyMs] : [],
  )
  return {
    label: `Latency p95, ${choice.range ?? 'chosen time'}`,
    value: regions.ok ? milliseconds(regions.value.whole.p95Ms) : 'could not be read',
    note: latencies.length === 0 ? 'no fresh reading' : `median now ${milliseconds(medianOf(latencies))}`,
  }
}

const medianOf = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [lower = 0, upper = 0] = [sorted[middle - (sorted.length % 2 === 0 ? 1 : 0)], sorted[middle]]
  return (lower + upper) / 2
}
