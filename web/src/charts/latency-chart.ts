import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { latencyTicks } from './axes.ts'
import { spanOf } from './band.ts'
import type { Band } from './band.ts'
import { countsLost } from './chart-series.ts'
import type { ChartPoint, ChartSeries } from './chart-series.ts'
import { drawing, frame, tenth, timeAxis, xOf } from './frame.ts'
import type { Window } from './frame.ts'
import { drawMoments } from './moment.ts'
import type { Moment } from './moment.ts'
import { runsOf } from './runs.ts'

const top = 24
const bottom = 220
const height = 264
/** Of the marks for slots that were due and not measured, below the plot's ground line. */
const lostHeight = 8

const lines = [
  { name: 'p50', of: ({ p50Ms }: ChartPoint) => p50Ms },
  { name: 'p95', of: ({ p95Ms }: ChartPoint) => p95Ms },
] as const

/**
 * Latency over time, one line a percentile. A step without a measurement is a gap: a line never
 * leads over silence. Null where nothing was measured at all.
 */
export const latencyChart = (
  series: ChartSeries,
  { title, bands, moments = [] }: { title: string; bands: readonly Band[]; moments?: readonly Moment[] },
): Html | null => {
  const { points } = series
  const values = points.flatMap((point) => lines.flatMap(({ of }) => of(point) ?? []))
  if (values.length === 0) return null
  const ticks = latencyTicks(Math.max(...values))
  const most = ticks.at(-1)?.at ?? 1
  const y = (ms: number): number => tenth(bottom - (ms / most) * (bottom - top))
  const window = { fromMs: Date.parse(series.from), toMs: Date.parse(series.to) }
  const stepMs = series.stepSeconds * 1000
  const x = (index: number): number => xOf(window, window.fromMs + (index + 0.5) * stepMs)
  return drawing(
    'latency',
    { title, height, description: describe(series, values) },
    html`${legend}${countsLost(series) && lostLegend}${bands.map((band) => drawBand(band, window))}
      <g class="axis">
        ${ticks.map(
          ({ at, label }) =>
            html`<line x1="${frame.left}" x2="${frame.width - frame.right}" y1="${y(at)}" y2="${y(at)}" />
              <text x="${frame.left - 8}" y="${y(at) + 4}" text-anchor="end">${label}</text>`,
        )}
      </g>
      ${timeAxis(window, top, bottom + lostHeight)} ${drawMoments(moments, window, { top, bottom })}
      ${lines.map(({ name, of }) =>
        runsOf(points, (point) => of(point) !== null).map(({ first, count }) => {
          const places = points
            .slice(first, first + count)
            .map((point, index) => ({ x: x(first + index), y: y(of(point) ?? 0) }))
          // a step alone has no neighbour to draw a line to
          const [alone, ...others] = places
          return alone !== undefined && others.length === 0
            ? html`<circle class="line ${name}" cx="${alone.x}" cy="${alone.y}" r="2.5" />`
            : html`<path class="line ${name}" d="M${places.map(({ x, y }) => `${x} ${y}`).join('L')}" />`
        }),
      )}
      ${runsOf(points, ({ lost }) => (lost ?? 0) > 0).map(({ first, count }) => {
        const from = xOf(window, window.fromMs + first * stepMs)
        const to = xOf(window, window.fromMs + (first + count) * stepMs)
        return html`<rect
          class="lost"
          x="${from}"
          y="${bottom}"
          width="${tenth(to - from)}"
          height="${lostHeight}"
        />`
      })}`,
  )
}

const describe = (series: ChartSeries, values: readonly number[]): string => {
  const { points } = series
  const measured = points.filter((point) => lines.some(({ of }) => of(point) !== null)).length
  const lost = points.filter((point) => (point.lost ?? 0) > 0).length
  const missing = countsLost(series) ? `; in ${lost} a reading was due and not measured` : ''
  return `Two lines, p50 and p95, from ${Math.round(Math.min(...values))} to ${Math.round(Math.max(...values))} ms. ${measured} of ${points.length} steps have a latency, the others are gaps${missing}. The table has every point.`
}

/** Each kind has its word at a height of its own, so that one over another hides no word. */
const wordHeights = { incident: 12, outage: 12, maintenance: 26 } as const

const drawBand = (band: Band, window: Window): Html | null => {
  const span = spanOf(band, window)
  if (span === null) return null
  // at the right edge its word stands before it
  const isLate = span.x > frame.width - frame.right - 60
  return html`<g class="band ${band.kind}">
    <rect x="${span.x}" y="${top}" width="${span.width}" height="${bottom - top}" />
    <text
      ${isLate ? html`x="${span.x - 3}" text-anchor="end"` : html`x="${span.x + 3}"`}
      y="${top + wordHeights[band.kind]}"
    >
      ${band.kind}
    </text>
  </g>`
}

const legend = html`<g class="axis" transform="translate(${frame.left})">
  <path class="line p50" d="M0 10L30 10" />
  <text x="36" y="14">p50</text>
  <path class="line p95" d="M80 10L110 10" />
  <text x="116" y="14">p95</text>
</g>`

const lostLegend = html`<g class="axis" transform="translate(${frame.left})">
  <rect class="lost" x="160" y="6" width="30" height="8" />
  <text x="196" y="14">due and not measured</text>
</g>`
