import { scaleLinear, scaleUtc } from 'd3-scale'
import { html, type Html } from '@probe-mesh/runtime/html'

/** The time that a chart shows, Unix ms. */
export type TimeWindow = { fromMs: number; toMs: number }

/** A mark on an axis, and its label. */
export type Tick = { at: number; label: string }

const dayMs = 86_400_000
const timeTicksWanted = 6

/** The position of an instant in a window, 0 to 1; instants outside are at the edge. */
export const shareOf = ({ fromMs, toMs }: TimeWindow, atMs: number): number =>
  (Math.min(toMs, Math.max(fromMs, atMs)) - fromMs) / (toMs - fromMs)

/** `12.34%`: a coordinate in a drawing that scales with its container. */
export const percentText = (share: number): string => `${Math.round(share * 1e4) / 100}%`

/**
 * Instants to mark, at whole steps of UTC; a day has its date at its start. islands/times.js uses the
 * reader's zone.
 */
export const timeTicks = ({ fromMs, toMs }: TimeWindow): Tick[] =>
  scaleUtc()
    .domain([fromMs, toMs])
    .ticks(timeTicksWanted)
    .map((date) => {
      const text = date.toISOString()
      return {
        at: date.getTime(),
        label: date.getTime() % dayMs === 0 ? text.slice(5, 10) : text.slice(11, 16),
      }
    })

/**
 * Values from 0 to a round number at or above the largest, with four or five marks. @param largest
 * milliseconds
 */
export const latencyScale = (largest: number): { most: number; ticks: Tick[] } => {
  const scale = scaleLinear()
    .domain([0, Math.max(largest, 1)])
    .nice(4)
  const [, most = 1] = scale.domain()
  const ticks = scale.ticks(4).map((at) => ({ at, label: at >= 1000 ? `${at / 1000} s` : `${at} ms` }))
  return { most, ticks }
}

/** Time marks below a drawing that fills its container, `top` to `bottom` in pixels. */
export const timeMarks = (window: TimeWindow, { top, bottom }: { top: number; bottom: number }): Html =>
  html`<g class="axis" data-ticks="${bottom}" data-from="${window.fromMs}" data-to="${window.toMs}">
    ${timeTicks(window).map(({ at, label }) => {
      const x = percentText(shareOf(window, at))
      return html`<line x1="${x}" x2="${x}" y1="${top}" y2="${bottom}" />
        <text x="${x}" y="${bottom + 17}">${label}</text>`
    })}
  </g>`
