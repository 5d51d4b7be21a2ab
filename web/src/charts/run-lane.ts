import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { drawing, frame, tenth, timeAxis, xOf } from './frame.ts'

/** Rows of the lane, so that the place says it and colour only helps. */
export const laneRows = [
  { name: 'early', style: 'blocked' },
  { name: 'on time', style: 'up' },
  { name: 'late', style: 'blocked' },
  { name: 'good, time not known', style: 'up' },
  { name: 'failed or stuck', style: 'down' },
  { name: 'missed', style: 'lost' },
  { name: 'running', style: 'unmeasured' },
] as const
export type LaneRow = (typeof laneRows)[number]['name']

/** One run: Unix ms; `toMs` is null while it runs. */
export type LaneRun = { row: LaneRow; fromMs: number; toMs: number | null }

const rowHeight = 18
const barHeight = 14

/** Runs over time, and when the next ping is expected; null where there is no run. */
export const runLane = (
  runs: readonly LaneRun[],
  { nextMs, nowMs, title }: { nextMs: number | null; nowMs: number; title: string },
): Html | null => {
  if (runs.length === 0) return null
  const firstMs = Math.min(...runs.map(({ fromMs }) => fromMs))
  const window = { fromMs: firstMs, toMs: Math.max(nowMs, nextMs ?? nowMs, firstMs + 60_000) }
  const rows = laneRows.filter(({ name }) => runs.some(({ row }) => row === name))
  const bottom = rows.length * rowHeight
  const counts = rows.map(({ name }) => `${runs.filter(({ row }) => row === name).length} ${name}`)
  return drawing(
    'runs',
    {
      title,
      height: bottom + 26,
      description: `Of ${runs.length} runs: ${counts.join(', ')}. ${nextMs === null ? 'No ping is expected.' : 'A line marks when the next ping is expected.'} The table has every run.`,
    },
    html`${timeAxis(window, 0, bottom)}
    ${rows.map(
      ({ name, style }, index) =>
        html`<g class="axis"
            ><text x="${frame.left - 8}" y="${index * rowHeight + 12}" text-anchor="end">${name}</text></g
          >
          ${runs
            .filter(({ row }) => row === name)
            .map(({ fromMs, toMs }) => {
              const from = xOf(window, fromMs)
              // most runs are short against the time that is shown
              const width = Math.max(3, tenth(xOf(window, toMs ?? nowMs) - from))
              return html`<rect
                class="${style}"
                x="${from}"
                y="${index * rowHeight + 1}"
                width="${width}"
                height="${barHeight}"
              />`
            })}`,
    )}
    ${
      nextMs !== null &&
      html`<line
        class="next"
        x1="${xOf(window, nextMs)}"
        x2="${xOf(window, nextMs)}"
        y1="0"
        y2="${bottom}"
      />`
    }`,
  )
}
