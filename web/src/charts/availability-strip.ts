import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { bandKinds, spanOf } from './band.ts'
import type { Band } from './band.ts'
import { countsLost } from './chart-series.ts'
import type { ChartPoint, ChartSeries } from './chart-series.ts'
import { drawing, frame, tenth, timeAxis, xOf } from './frame.ts'
import { runsOf } from './runs.ts'

/**
 * What a step may have, each in a row of its own, so that the place says it and colour only helps.
 * A step has several where its readings differ. No data is never healthy (S-102): silence has rows too.
 */
export const lanes = [
  { name: 'up', style: 'up', has: ({ up }: ChartPoint) => up > 0 },
  { name: 'down', style: 'down', has: ({ down }: ChartPoint) => down > 0 },
  { name: 'blocked', style: 'blocked', has: ({ blocked }: ChartPoint) => blocked > 0 },
  { name: 'unmeasured', style: 'unmeasured', has: ({ unmeasured }: ChartPoint) => unmeasured > 0 },
  { name: 'due and not measured', style: 'lost', has: ({ lost }: ChartPoint) => (lost ?? 0) > 0 },
  {
    name: 'no data',
    style: 'no-data',
    has: ({ measured, lost }: ChartPoint) => measured === 0 && (lost ?? 0) === 0,
  },
] as const

const laneHeight = 18
const barHeight = 14

/**
 * What the readings of each step said, over time; below, in a row for each kind, what was known to
 * be going on.
 */
export const availabilityStrip = (
  series: ChartSeries,
  { title, bands }: { title: string; bands: readonly Band[] },
): Html => {
  const window = { fromMs: Date.parse(series.from), toMs: Date.parse(series.to) }
  const stepMs = series.stepSeconds * 1000
  const marked = bandKinds
    .map((kind) => ({
      kind,
      spans: bands
        .filter((band) => band.kind === kind)
        .map((band) => spanOf(band, window))
        .filter((span) => span !== null),
    }))
    .filter(({ spans }) => spans.length > 0)
  const shown = lanes.filter(({ style }) => style !== 'lost' || countsLost(series))
  const bottom = (shown.length + marked.length) * laneHeight
  const counts = shown.map(({ name, has }) => `${series.points.filter(has).length} ${name}`)
  const known = marked.map(({ kind, spans }) => ` Marked as ${kind}: ${spans.length}.`)
  const description = `Of ${series.points.length} steps: ${counts.join(', ')}. A step may have several.${known.join('')} The tables have every one.`
  return drawing(
    'availability',
    { title, description, height: bottom + 26 },
    html`${timeAxis(window, 0, bottom)}
    ${shown.map(
      ({ name, style, has }, index) =>
        html`${laneName(name, index)}
        ${runsOf(series.points, has).map(({ first, count }) => {
          const from = xOf(window, window.fromMs + first * stepMs)
          const to = xOf(window, window.fromMs + (first + count) * stepMs)
          return html`<rect
            class="${style}"
            x="${from}"
            y="${index * laneHeight + 1}"
            width="${tenth(to - from)}"
            height="${barHeight}"
          />`
        })}`,
    )}
    ${marked.map(({ kind, spans }, at) => {
      const index = shown.length + at
      return html`${laneName(kind, index)}
        <g class="band ${kind}">
          ${spans.map(
            ({ x, width }) =>
              html`<rect x="${x}" y="${index * laneHeight + 1}" width="${width}" height="${barHeight}" />`,
          )}
        </g>`
    })}`,
  )
}

const laneName = (name: string, index: number): Html =>
  html`<g class="axis"
    ><text x="${frame.left - 8}" y="${index * laneHeight + 12}" text-anchor="end">${name}</text></g
  >`
