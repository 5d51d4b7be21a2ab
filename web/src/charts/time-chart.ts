import { roundedMs } from '@probe-mesh/runtime/rounded-ms'
import { line as lineOf } from 'd3-shape'
import { attribute, html, type Html } from '@probe-mesh/runtime/html'
import { spansOf } from './spans.ts'
import { latencyScale, percentText, shareOf, timeMarks, type TimeWindow } from './axes.ts'

/** One line of a chart: a value for each step, null for steps without a measurement. */
export type TimeLine = {
  /** Identifies the line in the address and in the legend. */
  key: string
  name: string
  /** The class for colour and dash: a region, `p50` or `p95`. */
  style: string
  values: readonly (number | null)[]
}

/** The readings of one step. `lost` is null where expected probes are not counted. */
export type StepCounts = {
  up: number
  down: number
  blocked: number
  unmeasured: number
  lost: number | null
}

/** A marked period, Unix ms; `toMs` is null while it is open. */
export type Band = { kind: (typeof bandKinds)[number]; fromMs: number; toMs: number | null; text?: string }
const bandKinds = ['outage', 'incident', 'maintenance'] as const

/** A marked instant, Unix ms, with the short word that the table below uses for it. */
export type Moment = { atMs: number; word: string; text?: string }

export type TimeChart = {
  id: string
  title: string
  window: TimeWindow
  stepSeconds: number
  lines: readonly TimeLine[]
  steps: readonly StepCounts[]
  bands?: readonly Band[]
  moments?: readonly Moment[]
  /**
   * The address of the page for another window. islands/chart.js adds `from` and `to` and opens it after a
   * drag.
   */
  zoomPath?: string
}

/**
 * The state of a step, by its readings. No data is never healthy (S-102), and a refusal is never down
 * (S-103).
 */
const stepStates = {
  up: 'up',
  mixed: 'up and down',
  down: 'down',
  blocked: 'blocked',
  unmeasured: 'not measured (own fault)',
  missed: 'missed probes',
  none: 'no data',
} as const
export type StepState = keyof typeof stepStates

export const stepStateOf = ({ up, down, blocked, unmeasured, lost }: StepCounts): StepState => {
  if (down > 0) return up > 0 ? 'mixed' : 'down'
  if (up > 0) return 'up'
  if (blocked > 0) return 'blocked'
  if (unmeasured > 0) return 'unmeasured'
  return (lost ?? 0) > 0 ? 'missed' : 'none'
}

/** Pixels. Lines are drawn in a box of 1,000 units that is stretched to the width of the page. */
export const box = { width: 1000, top: 8, height: 184, axis: 56 } as const
const ground = box.top + box.height
/** The strip of states: each state has a different height, so colour is not needed. */
const strip = { top: ground + 8, height: 14 } as const
const stateHeights: Readonly<Record<StepState, number>> = {
  up: 6,
  mixed: 10,
  down: 14,
  blocked: 10,
  unmeasured: 3,
  missed: 6,
  none: 2,
}
const bottom = strip.top + strip.height + 2
const height = bottom + 22

/**
 * Latency over time, one line per region or percentile, above a strip with the state of each step. A step
 * without a measurement is a gap in the line. The drawing fills its container, and its text keeps its size.
 */
export const timeChart = (chart: TimeChart): Html => {
  const { id, title, window, bands = [], moments = [] } = chart
  const values = chart.lines.flatMap((each) => each.values.filter((value) => value !== null))
  const { most, ticks: marks } = latencyScale(Math.max(1, ...values))
  // without values there is no scale to label
  const ticks = values.length === 0 ? [] : marks
  const y = (ms: number): number => Math.round((ground - (ms / most) * box.height) * 10) / 10
  return html`<figure class="chart" id="${id}" data-module="/module#chart" data-chart="${dataOf(chart)}">
    ${legend(chart)}
    <div class="chart-body" role="group" aria-label="${title}">
      <svg class="chart-values" width="${box.axis}" height="${height}" aria-hidden="true">
        ${ticks.map(({ at, label }) => html`<text x="${box.axis - 8}" y="${y(at) + 4}">${label}</text>`)}
        <text class="zone" x="${box.axis - 8}" y="${bottom + 17}">UTC</text>
      </svg>
      <svg
        class="chart-plot"
        width="100%"
        height="${height}"
        role="img"
        aria-labelledby="${id}-title ${id}-text"
      >
        <title id="${id}-title">${title}</title>
        <desc id="${id}-text">${describe(chart, values)}</desc>
        <g class="grid">
          ${ticks.map(({ at }) => html`<line x1="0" x2="100%" y1="${y(at)}" y2="${y(at)}" />`)}
        </g>
        ${timeMarks(window, { top: box.top, bottom })} ${bands.map((band) => drawBand(band, window))}
        <svg
          class="lines"
          x="0"
          y="0"
          width="100%"
          height="${ground + 2}"
          viewBox="0 0 ${box.width} ${ground + 2}"
          preserveAspectRatio="none"
        >
          ${chart.lines.map(
            ({ key, style, values: own }) =>
              html`<path class="line ${style}" data-line="${key}" d="${pathOf(chart, own, y)}" />`,
          )}
        </svg>
        ${drawStates(chart)} ${moments.map((moment) => drawMoment(moment, window))}
      </svg>
    </div>
    ${values.length === 0 && html`<p class="chart-note">No latency was measured in this time.</p>`}
  </figure>`
}

/** The middle of a step, 0 to 1. */
const middleOf = (
  { window, stepSeconds }: Pick<TimeChart, 'window' | 'stepSeconds'>,
  index: number,
): number => shareOf(window, window.fromMs + (index + 0.5) * stepSeconds * 1000)

/** A single measured step between two gaps is a line of length zero; round line ends show it as a dot. */
const pathOf = (
  chart: Pick<TimeChart, 'window' | 'stepSeconds'>,
  values: readonly (number | null)[],
  y: (ms: number) => number,
): string =>
  lineOf<number | null>()
    .defined((value) => value !== null)
    .x((_, index) => middleOf(chart, index) * box.width)
    .y((value) => y(value ?? 0))
    .digits(1)(values) ?? ''

const drawStates = ({ window, stepSeconds, steps }: TimeChart): Html => {
  const states = steps.map(stepStateOf)
  const stepMs = stepSeconds * 1000
  const rect = (
    style: string,
    { first, count }: { first: number; count: number },
    rectHeight: number,
  ): Html => {
    const from = shareOf(window, window.fromMs + first * stepMs)
    const to = shareOf(window, window.fromMs + (first + count) * stepMs)
    return html`<rect
      class="${style}"
      x="${percentText(from)}"
      width="${percentText(to - from)}"
      y="${strip.top + strip.height - rectHeight}"
      height="${rectHeight}"
    />`
  }
  return html`<g class="states">
    ${(Object.keys(stepStates) as StepState[]).flatMap((state) =>
      spansOf(states, (each) => each === state).map((span) => rect(state, span, stateHeights[state])),
    )}
    ${spansOf(steps, (step) => (step.lost ?? 0) > 0 && stepStateOf(step) !== 'missed').map((span) =>
      rect('missed', span, 3),
    )}
  </g>`
}

const drawBand = ({ kind, fromMs, toMs, text = kind }: Band, window: TimeWindow): Html | null => {
  const until = toMs ?? window.toMs
  if (until <= window.fromMs || fromMs >= window.toMs) return null
  const from = shareOf(window, fromMs)
  const width = shareOf(window, until) - from
  return html`<g class="band ${kind}">
    <title>${text}</title>
    <rect x="${percentText(from)}" width="${percentText(width)}" y="${box.top}" height="${box.height}" />
    <line x1="${percentText(from)}" x2="${percentText(from)}" y1="${box.top}" y2="${ground}" />
  </g>`
}

const drawMoment = ({ atMs, word, text = word }: Moment, window: TimeWindow): Html | null => {
  if (atMs < window.fromMs || atMs > window.toMs) return null
  const share = shareOf(window, atMs)
  const x = percentText(share)
  return html`<g class="moment">
    <title>${text}</title>
    <line x1="${x}" x2="${x}" y1="${box.top}" y2="${ground}" />
    <text x="${x}" y="${box.top + 10}" ${attribute('text-anchor', share > 0.9 ? 'end' : null)}>${word}</text>
  </g>`
}

const legend = ({ lines, bands = [], steps, window }: TimeChart): Html => {
  const present = new Set(steps.map(stepStateOf))
  const isShown = ({ fromMs, toMs }: Band): boolean =>
    fromMs < window.toMs && (toMs ?? window.toMs) > window.fromMs
  const kinds = bandKinds.filter((kind) => bands.some((band) => band.kind === kind && isShown(band)))
  const hasValues = lines.some(({ values }) => values.some((value) => value !== null))
  const shown = hasValues ? lines : []
  return html`<ul class="legend">
    ${shown.map(
      ({ key, name, style }) =>
        html`<li data-line="${key}">
          <svg width="22" height="8" aria-hidden="true"><path class="line ${style}" d="M1 4H21" /></svg
          >${name}
        </li>`,
    )}
    ${(Object.keys(stepStates) as StepState[])
      .filter((state) => state !== 'up' && present.has(state))
      .map(
        (state) =>
          html`<li>
            <svg class="states" width="10" height="10" aria-hidden="true">
              <rect
                class="${state}"
                x="0"
                y="${10 - Math.min(10, stateHeights[state])}"
                width="10"
                height="${Math.min(10, stateHeights[state])}"
              /></svg
            >${stepStates[state]}
          </li>`,
      )}
    ${kinds.map(
      (kind) =>
        html`<li>
          <svg width="10" height="10" aria-hidden="true">
            <g class="band ${kind}"><rect width="10" height="10" /></g></svg
          >${kind}
        </li>`,
    )}
  </ul>`
}

/** Data for the pointer and the arrow keys. Values have the precision of the labels. */
const dataOf = ({ window, stepSeconds, lines, steps, zoomPath }: TimeChart): string =>
  JSON.stringify({
    from: window.fromMs,
    to: window.toMs,
    step: stepSeconds * 1000,
    zoom: zoomPath ?? null,
    lines: lines.map(({ key, name, style, values }) => ({ key, name, style, values: values.map(rounded) })),
    states: steps.map((step) => countsText(step)),
  })

const rounded = (value: number | null): number | null => (value === null ? null : roundedMs(value))

/** `up: 24 up, 1 missed` */
const countsText = (step: StepCounts): string => {
  const { up, down, blocked, unmeasured, lost } = step
  const counts = { up, down, blocked, 'not measured': unmeasured, missed: lost ?? 0 }
  const parts = Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : []))
  return parts.length === 0 ? stepStates.none : parts.join(', ')
}

const describe = ({ lines, steps }: TimeChart, values: readonly number[]): string => {
  const states = steps.map(stepStateOf)
  const counts = (Object.keys(stepStates) as StepState[]).flatMap((state) => {
    const count = states.filter((each) => each === state).length
    return count === 0 ? [] : [`${count} ${stepStates[state]}`]
  })
  const range =
    values.length === 0
      ? 'No latency was measured.'
      : `${lines.map(({ name }) => name).join(', ')}: ${Math.round(Math.min(...values))} to ${Math.round(Math.max(...values))} ms.`
  return `${range} Of ${steps.length} steps: ${counts.join(', ')}. The table has every step.`
}
