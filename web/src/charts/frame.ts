import { attribute, html } from '@probe-mesh/runtime/html'
import type { Html, Piece } from '@probe-mesh/runtime/html'
import { timeTicks } from './axes.ts'

/** Of every chart over time, in units of its drawing: one step lies below the other in all of them. */
export const frame = { width: 840, left: 160, right: 10 } as const

/** The time that a chart shows, Unix ms. */
export type Window = { fromMs: number; toMs: number }

/** Where an instant lies, within the plot: what is outside is cut at its edge. */
export const xOf = ({ fromMs, toMs }: Window, atMs: number): number => {
  const share = (Math.min(toMs, Math.max(fromMs, atMs)) - fromMs) / (toMs - fromMs)
  return tenth(frame.left + share * (frame.width - frame.left - frame.right))
}

/** Finer than that nobody sees, and every digit is sent. */
export const tenth = (value: number): number => Math.round(value * 10) / 10

/** One picture to those who do not see it, with its name and what it shows; its table says the rest. */
export const drawing = (
  id: string,
  { title, description, height }: { title: string; description: string; height: number },
  content: Piece,
): Html =>
  html`<div class="scroll" role="group" aria-label="${title}" tabindex="0">
    <svg
      class="chart"
      role="img"
      aria-labelledby="${id}-title ${id}-description"
      viewBox="0 0 ${frame.width} ${height}"
    >
      <title id="${id}-title">${title}</title>
      <desc id="${id}-description">${description}</desc>
      ${content}
    </svg>
  </div>`

/** The line of time below a plot, in UTC. */
export const timeAxis = (window: Window, top: number, bottom: number): Html =>
  html`<g class="axis">
    ${timeTicks(window.fromMs, window.toMs).map(({ at, label }) => {
      const x = xOf(window, at)
      return html`<line x1="${x}" x2="${x}" y1="${top}" y2="${bottom + 4}" />
        <text
          x="${x}"
          y="${bottom + 17}"
          ${attribute('text-anchor', x > frame.width - 30 ? 'end' : 'middle')}
        >
          ${label}
        </text>`
    })}
    <text x="${frame.left - 40}" y="${bottom + 17}" text-anchor="end">UTC</text>
  </g>`
