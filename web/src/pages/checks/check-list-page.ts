import { uptimeWindowsMs } from '@probe-mesh/contracts/check/uptime-by-age'
import type { Member } from '@probe-mesh/contracts/account/members'
import type { SavedFilter } from '@probe-mesh/contracts/check/saved-filter'
import type { CheckPart } from '@probe-mesh/contracts/check/check-list'
import type { CheckRow, TrendState } from '@probe-mesh/contracts/check/check-row'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { emptyState } from '../../html/components/card.ts'
import type { FormState } from '../../html/components/form.ts'
import { icon } from '../../html/components/icon.ts'
import { regionMarks } from '../../html/components/region-marks.ts'
import { stateBar } from '../../html/components/state-bar.ts'
import { checkWords, type Wording } from '../../html/components/tag.ts'
import { liveStatus } from '../../html/live.ts'
import { elapsed, milliseconds, named, percent, time } from '../../html/measures.ts'
import { attribute, html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { pageLinks } from '../paging.ts'
import { typeForms } from '../check-fields/type-forms.ts'
import {
  filterForm,
  isFiltered,
  listPath,
  pathOf,
  queryOf,
  statusChips,
  totalOf,
  type CheckFilter,
} from './check-filter.ts'
import { savedFilters } from './saved-filters.ts'

/** One page of the list: a row is a check with the state of each region, its last day and its figures. */
export const checkListPage = (
  part: CheckPart,
  filter: CheckFilter,
  { members, saved, form }: { members: readonly Member[]; saved: readonly SavedFilter[]; form: FormState },
): Html => {
  if (totalOf(part.counts) === 0) return noChecks
  return html`${savedFilters(saved, filter, form)}
    <div class="toolbar">${filterForm(filter, members)}</div>
    <div data-live="checks">
      <div class="toolbar">${statusChips(filter, part)} ${tagFilter(filter)}</div>
      ${part.total === 0 ? noneFound : rowsForm(part, filter)}
    </div>
    <p class="muted small-print">
      ${rangeOf(part)} · as of ${time(part.at)} · bars: worst state of each half hour of the last 24
      hours${!part.latencyRead && ' · history is delayed, so latencies are missing'}${part.vantage === 'local' && ' · all regions measured from this machine'}
    </p>
    ${pageLinks({ ...part, rows: [] }, listPath, queryOf(filter))}`
}

const noChecks: Html = emptyState({
  icon: 'check',
  title: 'No checks yet',
  text: 'A check measures a site, an API, a port or a job from every region.',
  action: { path: '/dashboard/checks/new', text: 'New check' },
})

const noneFound: Html = html`<div class="empty">
  ${icon('search')}
  <p class="empty-title">No check matches</p>
  <p><a href="${listPath}">Show all checks</a></p>
</div>`

/** The tag filter, with a link to remove it. */
const tagFilter = (filter: CheckFilter): Html | null =>
  filter.tag === null
    ? null
    : html`<a class="tag-chip" href="${pathOf({ ...filter, tag: null })}" title="Remove the filter"
        >${icon('tag')}<bdi>${filter.tag}</bdi>${icon('close')}<span class="unseen">
          (remove the filter)</span
        ></a
      >`

/** `1 to 100 of 275 checks` */
const rangeOf = ({ checks, number, total }: CheckPart): string => {
  const first = (number - 1) * limits.checksPerPart + 1
  return total === 0 ? '0 checks' : `${first} to ${first + checks.length - 1} of ${total} checks`
}

/** Rows can be ticked for a bulk action; a button of a row posts to a different address. */
const rowsForm = ({ checks, at }: CheckPart, filter: CheckFilter): Html =>
  html`<form class="bulk" method="post" action="/dashboard/checks/bulk">
    <input type="hidden" name="back" value="${isFiltered(filter) ? pathOf(filter) : listPath}" />
    <table class="rows check-rows">
      <caption class="unseen">
        Checks
      </caption>
      <thead>
        <tr>
          <th scope="col" class="tick"><span class="unseen">Select</span></th>
          <th scope="col">Status</th>
          <th scope="col">Check</th>
          <th scope="col">Regions</th>
          <th scope="col">Last 24 hours</th>
          <th scope="col" class="number">p95</th>
          <th scope="col" class="number">Uptime 30 d</th>
          <th scope="col">Measured</th>
          <th scope="col"><span class="unseen">Actions</span></th>
        </tr>
      </thead>
      <tbody>
        ${checks.map((check) => rowOf(check, Date.parse(at)))}
      </tbody>
    </table>
    ${bulkBar}
  </form>`

/** How long a younger check can have been measured. */
const ofAge = ({ uptime, createdAt }: CheckRow, nowMs: number): Html | null =>
  uptime.month === null || Date.parse(createdAt) <= nowMs - uptimeWindowsMs.month
    ? null
    : html`<span class="target">of ${elapsed(createdAt, nowMs)}</span>`

const rowOf = (check: CheckRow, nowMs: number): Html => {
  const { id, name, url, target, paused } = check
  const path = `/dashboard/checks/${id}`
  return html`<tr${attribute('class', check.status === 'down' && !paused ? 'is-down' : null)}>
    <td class="tick">
      <input type="checkbox" name="id" value="${id}" aria-label="Select ${name}" data-keep />
    </td>
    <td class="state-cell">${statusCell(check)}</td>
    <th scope="row">
      <a href="${path}">${named(name)}</a>
      <span class="target">${targetOf(check, url ?? target)} ${tagsOf(check)}</span>
    </th>
    <td class="regions">${paused ? null : regionMarks(marksOf(check))}</td>
    <td class="trend">${trendBar(check)}</td>
    <td class="number p95">${milliseconds(check.p95Ms)}</td>
    <td class="number uptime">${percent(check.uptime.month)} ${ofAge(check, nowMs)}</td>
    <td class="age">${check.measuredAt === null ? 'never' : time(check.measuredAt)}</td>
    <td class="more">
      <details class="menu-of" name="menu">
        <summary class="button icon-only" aria-label="Actions for ${name}">${icon('more')}</summary>
        <div class="menu-list">
          <a class="menu-entry" href="${path}/edit">Edit</a>
          ${check.type !== 'heartbeat' && html`<button class="menu-entry" formaction="${path}/run">Run now</button>`}
          <button class="menu-entry" formaction="${path}/${paused ? 'resume' : 'pause'}">
            ${paused ? 'Resume' : 'Pause'}
          </button>
          <button class="menu-entry" formaction="${path}/clone">Clone</button>
          <a class="menu-entry danger" href="${path}/delete" data-confirm>Delete</a>
        </div>
      </details>
    </td>
  </tr>`
}

const marksOf = ({ regionStatuses }: CheckRow) =>
  regionStatuses.map(({ region, status }) => ({ region, wording: checkWords[status] }))

const statusCell = (check: CheckRow): Html => {
  const { statusSince, maintenance, paused } = check
  const since = statusSince !== null && check.status === 'down' && !paused
  return html`${liveStatus(check)}${since && html` <span class="since" data-since="${statusSince}">${elapsed(statusSince, Date.parse(statusSince))}</span>`}
  ${maintenance && html`<span class="since">maintenance</span>`}`
}

const targetOf = ({ type, statusReason, status }: CheckRow, address: string | null): Piece => {
  if (status === 'down' && statusReason !== null) return html`<bdi class="bad">${statusReason}</bdi>`
  return html`${address === null ? typeForms[type].name : html`<bdi>${address}</bdi>`}`
}

const tagsOf = ({ tags = [] }: CheckRow): Piece =>
  tags.map(
    (tag) =>
      html`<a class="tag-chip" href="${listPath}?${new URLSearchParams({ tag }).toString()}"
        ><bdi>${tag}</bdi></a
      > `,
  )

const trendTones: Readonly<Record<TrendState, Wording['tone']>> = {
  operational: 'good',
  degraded: 'uncertain',
  down: 'bad',
  stale: 'silent',
  no_data: 'silent',
}

/** `Last 24 hours: 46 operational, 1 down, 1 no data (half hours)` */
const trendBar = ({ trend }: CheckRow): Html => {
  const states = Object.keys(trendTones) as TrendState[]
  const counts = states.flatMap((state) => {
    const count = trend.filter((each) => each === state).length
    return count === 0 ? [] : [`${count} ${state.replace('_', ' ')}`]
  })
  return stateBar(
    trend.map((state) => trendTones[state]),
    `Half hours of the last day: ${counts.join(', ')}`,
  )
}

/** Shown once a row is ticked. Actions that need a choice or a confirmation have a separate page. */
const bulkBar: Html = html`<div class="bulk-bar" role="group" aria-label="Selected checks">
  <span data-count>Selected checks</span>
  <button name="act" value="pause">${icon('pause')}Pause</button>
  <button name="act" value="pause_until">${icon('pause')}Pause until</button>
  <button name="act" value="resume">${icon('resume')}Resume</button>
  <button name="act" value="add_tag">${icon('tag')}Tag</button>
  <button name="act" value="publish">${icon('status-page')}Publish</button>
  <button name="act" value="add_to_rule">${icon('alert')}Alert</button>
  <button class="danger" name="act" value="delete">${icon('delete')}Delete</button>
</div>`
