import type { CheckDetail, StoredReading } from '@probe-mesh/contracts/check/check'
import { fullStatusReason } from '@probe-mesh/contracts/check/check'
import type { Asked } from '../../api/ask.ts'
import { historyDelayed } from '../../html/history-delayed.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { duration, milliseconds, percent, time } from '../../html/measures.ts'
import { liveStatus } from '../../html/live.ts'
import { regionName } from '../../html/region-name.ts'
import { table } from '../../html/components/table.ts'
import { checkWords, tag } from '../../html/components/tag.ts'
import { detailsSection, newestOfRegions } from './details-section.ts'
import { expirySection } from './expiry-section.ts'
import { heartbeatSection } from './heartbeat-section.ts'
import type { HeartbeatEvidence } from './heartbeat-section.ts'
import { historySection } from './history-section.ts'
import type { History } from './history-section.ts'
import { phasesSection } from './phases-section.ts'

/** What stands beside a check: of a heartbeat its runs, of every other one what was measured. */
export type CheckEvidence =
  | ({ kind: 'heartbeat' } & HeartbeatEvidence)
  | {
      kind: 'probed'
      history: History
      /** The newest, of every region. */
      readings: Asked<{ readings: readonly StoredReading[] }>
    }

/** One check with its evidence: what each region saw, when, and how long that counts. */
export const checkPage = (check: CheckDetail, evidence: CheckEvidence): Html => html`
  <p data-live="status">${liveStatus(check)} ${fullStatusReason(check)}</p>
  ${actsOf(check)}
  <dl data-live="evidence">${check.type === 'heartbeat' ? reportedBy(check) : measuredFrom(check)}</dl>
  ${
    check.regionStatuses.length > 0 &&
    html`<h2>Regions</h2>
      <div data-live="regions">
        ${table(
          'What each region saw last',
          [
            { heading: 'Region', cell: ({ region }) => regionName(region) },
            { heading: 'Status', cell: ({ status }) => tag(checkWords[status]) },
            {
              heading: 'Latency',
              isNumber: true,
              cell: ({ latencyMs }) => milliseconds(latencyMs),
            },
            { heading: 'Measured', cell: ({ measuredAt }) => time(measuredAt) },
            { heading: 'Fresh', cell: ({ fresh }) => (fresh ? 'yes' : 'no') },
            { heading: 'Reason', cell: ({ reason }) => reason ?? '' },
          ],
          check.regionStatuses,
        )}
      </div>`
  }
  ${uptimeSection(check)} ${expirySection(check)}
  ${evidence.kind === 'probed' ? probedSections(check, evidence) : check.heartbeat !== undefined && heartbeatSection(check.id, check.heartbeat, evidence)}
`

/** Nobody probes a heartbeat: what there is of it are pings, of which its own section tells. */
const reportedBy = ({ statusSince }: CheckDetail): Html => html`
  <dt>Since</dt>
  <dd>${time(statusSince)}</dd>
  <dt>Reported by</dt>
  <dd>its job, which pings this service; no probe measures it</dd>
`

const measuredFrom = (check: CheckDetail): Html => html`
  <dt>Address</dt>
  <dd><bdi>${check.url ?? check.target ?? 'none'}</bdi></dd>
  <dt>Since</dt>
  <dd>${time(check.statusSince)}</dd>
  <dt>Measured</dt>
  <dd>
    ${check.measuredAt === null ? 'never' : time(check.measuredAt)}; a reading counts for
    ${duration(check.staleAfterSeconds)}
  </dd>
  <dt>Every</dt>
  <dd>${duration(check.intervalSeconds)}</dd>
  ${
    check.private &&
    html`<dt>Measured from</dt>
      <dd><a href="/dashboard/agents">an agent of yours</a>; no status page can show it</dd>`
  }
  ${
    check.vantage === 'local' &&
    html`<dt>Measured from</dt>
      <dd>one machine, which stands for every region</dd>`
  }
`

const uptimeSection = ({ uptime, measuredShare }: CheckDetail): Html => {
  const window = (name: string, part: keyof CheckDetail['uptime']): Html => html`
    <dt>${name}</dt>
    <dd>
      ${percent(uptime[part])};
      <span class="muted"
        >${
          measuredShare[part] === null
            ? 'could not be read now'
            : html`${percent(measuredShare[part])} of the time was measured`
        }</span
      >
    </dd>
  `
  return html`
    <h2>Uptime</h2>
    <p class="muted">
      Of the time that was measured; what was not measured, and what was refused, counts neither way.
    </p>
    <dl>
      ${window('24 hours', 'day')} ${window('7 days', 'week')} ${window('30 days', 'month')}
      ${window('90 days', 'quarter')}
    </dl>
  `
}

const probedSections = (
  check: CheckDetail,
  { history, readings }: CheckEvidence & { kind: 'probed' },
): Html => html`
  ${phasesSection(check)} ${historySection(check, history)}
  ${
    readings.ok
      ? detailsSection(newestOfRegions(readings.value.readings))
      : html`<p class="problems">The newest readings are not shown. ${historyDelayed(readings.problem)}</p>`
  }
`

/** Nobody probes a heartbeat, so it cannot be measured now; only http checks are edited here. */
const actsOf = ({ id, type }: CheckDetail): Html => {
  const path = `/dashboard/checks/${id}`
  return html`
    ${
      type !== 'heartbeat' &&
      html`<form method="post" action="${path}/run">
        <p class="actions">
          <button class="primary" type="submit" aria-describedby="run-hint">Measure now</button>
          <span class="hint" id="run-hint"
            >Each region is asked for one reading at once. The page comes when all have answered: that may
            take 50 seconds.</span
          >
        </p>
      </form>`
    }
    <p class="actions">
      ${type !== 'heartbeat' && html`<a class="button" href="${path}/readings">Readings</a>`}
      <a class="button" href="${path}/edit">Edit</a>
      ${type === 'multistep' && html`<a class="button" href="${path}/steps">Steps</a>`}
      <a class="button danger" href="${path}/delete">Delete</a>
    </p>
  `
}
