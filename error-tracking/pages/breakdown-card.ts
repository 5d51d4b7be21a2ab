import { inFigures } from '@probe-mesh/contracts/schema/in-figures'
import { breakdownValuesMax, type ErrorIssueBreakdown } from '../contracts/error-breakdown.ts'
import type { ReleaseMark } from '../contracts/error-marks.ts'
import { errorReleasesMax, type ErrorIssue } from '../contracts/error-tracking.ts'
import type { Asked } from '@probe-mesh/web/src/api/ask'
import { shareBar } from '@probe-mesh/web/src/charts/count-bars'
import { card } from '@probe-mesh/web/src/html/components/card'
import { markOf } from '@probe-mesh/web/src/html/error-marks'
import { named, time } from '@probe-mesh/web/src/html/measures'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { counted } from './counted.ts'

/** Tags are in view, the others are folded. */
const tagsInView = 6
const releasesInView = 6

type Row = { name: Piece; count: number; note?: Piece }

/** Names with their share as a bar, the largest first. */
const shareRows = (rows: readonly Row[], total: number): Html =>
  html`<ul class="share-rows">
    ${rows.map(
      ({ name, count, note = null }) =>
        html`<li>
          <span class="share-name">${name}${note !== null && html` <span class="muted">${note}</span>`}</span>
          <span class="number">${inFigures(count)}</span>
          ${shareBar(total === 0 ? 0 : count / total)}
        </li>`,
    )}
  </ul>`

/** The values of each tag among the newest events of an issue. */
export const tagsCard = (breakdown: Asked<ErrorIssueBreakdown>): Html => {
  if (!breakdown.ok) {
    return card(
      { id: 'tags', title: 'Tags' },
      html`<p class="problems">Tags could not be read: ${breakdown.problem.message}</p>`,
    )
  }
  const { tags, events, asOf } = breakdown.value
  const group = ({ key, events: ofKey, values }: ErrorIssueBreakdown['tags'][number]): Html => {
    const shown = values.reduce((sum, value) => sum + value.events, 0)
    return html`<h3>${named(key)}</h3>
      ${shareRows(
        [
          ...values.map(({ value, events: count }): Row => ({ name: named(value), count })),
          ...(shown < ofKey ? [{ name: html`<span class="muted">Other</span>`, count: ofKey - shown }] : []),
        ],
        ofKey,
      )}`
  }
  return card(
    { id: 'tags', title: 'Tags', about: html`newest ${counted(events, 'event')}` },
    html`${tags.length === 0 && html`<p class="muted">The events have no tags.</p>`}
      ${tags.slice(0, tagsInView).map(group)}
      ${
        tags.length > tagsInView &&
        html`<details>
          <summary>${counted(tags.length - tagsInView, 'more tag')}</summary>
          ${tags.slice(tagsInView).map(group)}
        </details>`
      }
      <p class="muted small-print">Up to ${breakdownValuesMax} values each · as of ${time(asOf)}</p>`,
  )
}

/** Events by release, most first; `marks` are the releases that the chart marks. */
export const releasesCard = (
  { releases, occurrences }: Pick<ErrorIssue, 'releases' | 'occurrences'>,
  marks: readonly ReleaseMark[],
): Html => {
  const withRelease = releases.reduce((sum, each) => sum + each.occurrences, 0)
  const isCut = releases.length === errorReleasesMax
  const rest = occurrences - withRelease
  const rowOf = ({ release, occurrences: count }: ErrorIssue['releases'][number]): Row => {
    const index = marks.findIndex((mark) => mark.release === release)
    return { name: named(release), count, note: index === -1 ? null : markOf(index) }
  }
  return card(
    {
      id: 'releases',
      title: 'Releases',
      about: releases.length > 1 ? counted(releases.length, 'release') : null,
    },
    releases.length === 0
      ? html`<p class="muted">No event names a release.</p>`
      : html`${shareRows(
          [
            ...releases.slice(0, releasesInView).map(rowOf),
            ...(rest > 0 && !isCut
              ? [{ name: html`<span class="muted">Without a release</span>`, count: rest }]
              : []),
          ],
          occurrences,
        )}
        ${
          releases.length > releasesInView &&
          html`<details>
            <summary>${counted(releases.length - releasesInView, 'more release')}</summary>
            ${shareRows(releases.slice(releasesInView).map(rowOf), occurrences)}
          </details>`
        }
        ${isCut && html`<p class="muted small-print">Only the ${errorReleasesMax} most frequent releases are listed.</p>`}`,
  )
}
