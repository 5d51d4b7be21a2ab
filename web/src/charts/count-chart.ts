import { inFigures } from '@probe-mesh/contracts/schema/in-figures'
import { scaleLinear } from 'd3-scale'
import { attribute, html, type Html } from '@probe-mesh/runtime/html'
import type { Moment } from './time-chart.ts'
import { percentText, shareOf, timeMarks, type TimeWindow } from './axes.ts'

/** Counts over time. */
export type CountChart = {
  id: string
  title: string
  window: TimeWindow
  stepSeconds: number
  /** The counted things, such as `Events`. */
  name: string
  counts: readonly number[]
  /** Newest first. */
  moments?: readonly Moment[]
}

const box = { top: 8, height: 96, axis: 40 } as const
const ground = box.top + box.height
const height = ground + 24

/**
 * One bar a step, with an axis of counts and one of time; islands/chart.js adds the pointer and the arrow
 * keys.
 */
export const countChart = (chart: CountChart): Html => {
  const { id, title, window, stepSeconds, counts, name, moments = [] } = chart
  const scale = scaleLinear()
    .domain([0, Math.max(2, ...counts)])
    .nice(2)
  const [, most = 1] = scale.domain()
  const ticks = scale.ticks(2)
  const y = (count: number): number => Math.round(ground - (count / most) * box.height)
  const stepMs = stepSeconds * 1000
  const total = counts.reduce((sum, count) => sum + count, 0)
  return html`<figure class="chart" id="${id}" data-module="/module#chart" data-chart="${dataOf(chart)}">
    <div class="chart-body" role="group" aria-label="${title}">
      <svg class="chart-values" width="${box.axis}" height="${height}" aria-hidden="true">
        ${ticks.map((at) => html`<text x="${box.axis - 8}" y="${y(at) + 4}">${shortCount(at)}</text>`)}
      </svg>
      <svg
        class="chart-plot"
        width="100%"
        height="${height}"
        role="img"
        aria-labelledby="${id}-title ${id}-text"
      >
        <title id="${id}-title">${title}</title>
        <desc id="${id}-text">
          ${inFigures(total)} ${name.toLowerCase()} in ${counts.length} steps; most in one step:
          ${inFigures(Math.max(0, ...counts))}. The table has every step.
        </desc>
        <g class="grid">${ticks.map((at) => html`<line x1="0" x2="100%" y1="${y(at)}" y2="${y(at)}" />`)}</g>
        ${timeMarks(window, { top: box.top, bottom: ground })}
        <g class="counts">
          ${counts.map((count, index) => {
            if (count === 0) return null
            const from = shareOf(window, window.fromMs + index * stepMs)
            const to = shareOf(window, window.fromMs + (index + 1) * stepMs)
            const top = Math.min(ground - 2, y(count))
            return html`<rect
              x="${percentText(from + (to - from) * 0.1)}"
              width="${percentText((to - from) * 0.8)}"
              y="${top}"
              height="${ground - top}"
              rx="1"
            />`
          })}
        </g>
        ${moments.map((moment, index) => momentOf(moment, window, moments[index + 1] ?? null))}
      </svg>
    </div>
  </figure>`
}

/** The share of the width that the word of a mark needs. */
const wordShare = 0.08

/** @param older the next mark to the left; the word is left out if there is no room for it */
const momentOf = (
  { atMs, word, text = word }: Moment,
  window: TimeWindow,
  older: Moment | null,
): Html | null => {
  if (atMs < window.fromMs || atMs > window.toMs) return null
  const share = shareOf(window, atMs)
  const hasRoom = older === null || share - shareOf(window, older.atMs) > wordShare
  const x = percentText(share)
  return html`<g class="moment">
    <title>${text}</title>
    <line x1="${x}" x2="${x}" y1="${box.top}" y2="${ground}" />
    ${
      hasRoom &&
      html`<text x="${x}" y="${box.top + 8}" ${attribute('text-anchor', share > 0.9 ? 'end' : null)}>
        ${word}
      </text>`
    }
  </g>`
}

/** `1.2k`: an axis has little room. */
const shortCount = (count: number): string =>
  count >= 1_000_000 ? `${count / 1_000_000}M` : count >= 1_000 ? `${count / 1_000}k` : String(count)

/** The data format of a time chart, without a unit and with only counts for each step. */
const dataOf = ({ window, stepSeconds, counts, name }: CountChart): string =>
  JSON.stringify({
    from: window.fromMs,
    to: window.toMs,
    step: stepSeconds * 1000,
    zoom: null,
    unit: '',
    lines: [{ key: 'count', name, style: '', values: counts }],
    states: counts.map(() => ''),
  })
