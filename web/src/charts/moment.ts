import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { frame, xOf } from './frame.ts'
import type { Window } from './frame.ts'

/** An instant that is marked in a chart, Unix ms, by the short word that its table has for it. */
export type Moment = { atMs: number; word: string }

/** Words nearer to one another than this stand at another height. */
const wordWidth = 26
const heights = 3
const wordHeight = 13

/** A dashed line for each moment in the chart's time, with its word above the ground line. */
export const drawMoments = (
  moments: readonly Moment[],
  window: Window,
  { top, bottom }: { top: number; bottom: number },
): readonly Html[] => {
  const shown = moments
    .filter(({ atMs }) => atMs >= window.fromMs && atMs <= window.toMs)
    .toSorted((a, b) => a.atMs - b.atMs)
  let [lastX, level] = [Number.NEGATIVE_INFINITY, 0]
  return shown.map(({ atMs, word }) => {
    const x = xOf(window, atMs)
    level = x - lastX < wordWidth ? (level + 1) % heights : 0
    lastX = x
    const isLate = x > frame.width - frame.right - wordWidth
    return html`<g class="moment">
      <line x1="${x}" x2="${x}" y1="${top}" y2="${bottom}" />
      <text
        ${isLate ? html`x="${x - 3}" text-anchor="end"` : html`x="${x + 3}"`}
        y="${bottom - 4 - level * wordHeight}"
      >
        ${word}
      </text>
    </g>`
  })
}
