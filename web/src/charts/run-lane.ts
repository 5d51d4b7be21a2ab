import { html, type Html } from '@probe-mesh/runtime/html'
import { percentText, shareOf, timeMarks } from './axes.ts'

/** Rows of the lane: position as well as colour shows the result. */
const laneRows = [
  { name: 'early', style: 'blocked' },
  { name: 'on time', style: 'up' },
  { name: 'late', style: 'blocked' },
  { name: 'successful', style: 'up' },
  { name: 'failed or stuck', style: 'down' },
  { name: 'missed', style: 'missed' },
  { name: 'running', style: 'unmeasured' },
] as const
export type LaneRow = (typeof laneRows)[number]['name']

/** One run: Unix ms; `toMs` is null while it runs. */
export type LaneRun = { row: LaneRow; fromMs: number; toMs: number | null }

const rowHeight = 20
const barHeight = 14
const minute = 60_000
/** A minimum width, since most runs are short compared with the window. */
const shareMin = 0.003

/** Runs over time, and when the next ping is expected. Null without runs. */
export const runLane = (
  runs: readonly LaneRun[],
  { nextMs, nowMs, title }: { nextMs: number | null; nowMs: number; title: string },
): Html | null => {
  if (runs.length === 0) return null
  const firstMs = Math.min(...runs.map(({ fromMs }) => fromMs))
  const window = { fromMs: firstMs, toMs: Math.max(nowMs, nextMs ?? nowMs, firstMs + minute) }
  const rows = laneRows.filter(({ name }) => runs.some(({ row }) => row === name))
  const bottom = rows.length * rowHeight
  const counts = rows.map(({ name }) => `${runs.filter(({ row }) => row === name).length} ${name}`)
  const next = nextMs === null ? 'No ping is expected.' : 'A line marks when the next ping is expected.'
  return html`<figure class="chart">
    <div class="chart-body">
      <svg class="chart-values" width="112" height="${bottom + 22}" aria-hidden="true">
        ${rows.map(({ name }, index) => html`<text x="104" y="${index * rowHeight + 13}">${name}</text>`)}
      </svg>
      <svg
        class="chart-plot"
        width="100%"
        height="${bottom + 22}"
        role="img"
        aria-labelledby="runs-title runs-text"
      >
        <title id="runs-title">${title}</title>
        <desc id="runs-text">
          Of ${runs.length} runs: ${counts.join(', ')}. ${next} The table has every run.
        </desc>
        ${timeMarks(window, { top: 0, bottom })}
        <g class="states">
          ${rows.map(({ name, style }, index) =>
            runs
              .filter(({ row }) => row === name)
              .map(({ fromMs, toMs }) => {
                const from = shareOf(window, fromMs)
                const width = Math.max(shareMin, shareOf(window, toMs ?? nowMs) - from)
                return html`<rect
                  class="${style}"
                  x="${percentText(Math.min(from, 1 - width))}"
                  width="${percentText(width)}"
                  y="${index * rowHeight + 2}"
                  height="${barHeight}"
                />`
              }),
          )}
        </g>
        ${
          nextMs !== null &&
          html`<line
            class="next"
            x1="${percentText(shareOf(window, nextMs))}"
            x2="${percentText(shareOf(window, nextMs))}"
            y1="0"
            y2="${bottom}"
          />`
        }
      </svg>
    </div>
  </figure>`
}
