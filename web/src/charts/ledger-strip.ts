import { html, type Html } from '@probe-mesh/runtime/html'
import { percentText, timeMarks } from './axes.ts'

/** Probes of one slot of time; `due` is the sum of the others. */
export type SlotCounts = { due: number; measured: number; unmeasured: number; missing: number }

/** Regions over time, in slots of equal length, oldest first. */
export type LedgerStrip = {
  id: string
  title: string
  fromMs: number
  stepMs: number
  rows: readonly { key: string; name: string; slots: readonly SlotCounts[] }[]
}

const rowHeight = 26
const barHeight = 20
/** A minimum height, so that few missed probes stay visible next to many others. */
const partMin = 4
/** A slot without expected probes is a line at the bottom. */
const lineHeight = 2

/** Parts of a slot from the bottom up: each differs by place, edge or height as well as by colour. */
const parts = {
  measured: { style: 'up', text: 'measured' },
  unmeasured: { style: 'blocked', text: 'not measurable' },
  missing: { style: 'lost', text: 'missed' },
  none: { style: 'none', text: 'no probe due' },
} as const
type Part = keyof typeof parts

/**
 * A bar for each region and slot: the shares of its due probes. islands/chart.js adds the pointer and the
 * arrow keys.
 */
export const ledgerStrip = (strip: LedgerStrip): Html => {
  const { id, title, fromMs, stepMs, rows } = strip
  const count = Math.max(1, ...rows.map(({ slots }) => slots.length))
  const bottom = rows.length * rowHeight
  const height = bottom + 24
  const labelWidth = rows.some(({ name }) => name.length > 4) ? 84 : 36
  return html`${legend(strip)}
    <figure class="chart" id="${id}" data-module="/module#chart" data-chart="${dataOf(strip, count)}">
      <div class="chart-body" role="group" aria-label="${title}">
        <svg class="chart-values" width="${labelWidth}" height="${height}" aria-hidden="true">
          ${rows.map(({ name }, row) => html`<text x="${labelWidth - 8}" y="${row * rowHeight + 16}">${name}</text>`)}
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
            ${rows.map((row) => `${row.name}: ${summaryText(row.slots)} `)} The table has every hour.
          </desc>
          ${timeMarks({ fromMs, toMs: fromMs + count * stepMs }, { top: 0, bottom })}
          <g class="states">
            ${rows.map(({ slots }, row) =>
              slots.map((slot, index) =>
                bars(slot, { x: (index + 0.06) / count, width: 0.88 / count, ground: row * rowHeight + 22 }),
              ),
            )}
          </g>
        </svg>
      </div>
    </figure>`
}

const bars = (slot: SlotCounts, place: { x: number; width: number; ground: number }): Html[] => {
  let { ground } = place
  return stackOf(slot).map(({ part, height }) => {
    ground -= height
    return html`<rect
      class="${parts[part].style}"
      x="${percentText(place.x)}"
      width="${percentText(place.width)}"
      y="${ground}"
      height="${height}"
    />`
  })
}

/** The parts of one slot from the bottom up, with whole heights that add up to a bar. */
export const stackOf = ({
  due,
  measured,
  unmeasured,
  missing,
}: SlotCounts): { part: Part; height: number }[] => {
  if (due === 0) return [{ part: 'none', height: lineHeight }]
  const heightOf = (count: number): number =>
    count === 0
      ? 0
      : Math.min(
          barHeight - 2 * partMin,
          Math.max(partMin, Math.round((count / due) * (barHeight - 2 * partMin))),
        )
  const heights = { measured: 0, unmeasured: heightOf(unmeasured), missing: heightOf(missing) }
  // the largest part gets the rest
  const largest =
    missing > measured && missing >= unmeasured
      ? 'missing'
      : unmeasured > measured
        ? 'unmeasured'
        : 'measured'
  heights.measured = heightOf(measured)
  heights[largest] += barHeight - (heights.measured + heights.unmeasured + heights.missing)
  return (['measured', 'unmeasured', 'missing'] as const)
    .filter((part) => heights[part] > 0)
    .map((part) => ({ part, height: heights[part] }))
}

/** `58 of 60 measured, 2 missed`, or `no probe due`. */
export const slotText = ({ due, measured, unmeasured, missing }: SlotCounts): string => {
  if (due === 0) return parts.none.text
  const rest = Object.entries({ [parts.unmeasured.text]: unmeasured, [parts.missing.text]: missing })
  return [
    `${measured} of ${due} measured`,
    ...rest.flatMap(([text, count]) => (count === 0 ? [] : `${count} ${text}`)),
  ].join(', ')
}

const totalOf = (slots: readonly SlotCounts[]): SlotCounts => {
  const sum = (part: keyof SlotCounts): number => slots.reduce((total, slot) => total + slot[part], 0)
  return {
    due: sum('due'),
    measured: sum('measured'),
    unmeasured: sum('unmeasured'),
    missing: sum('missing'),
  }
}

const summaryText = (slots: readonly SlotCounts[]): string => {
  const lossy = slots.filter(({ missing }) => missing > 0).length
  return `${slotText(totalOf(slots))}${lossy === 0 ? '' : `, in ${lossy} of ${slots.length} hours`}.`
}

const legend = ({ rows }: LedgerStrip): Html => {
  const present = new Set(rows.flatMap(({ slots }) => slots.flatMap(stackOf)).map(({ part }) => part))
  return html`<ul class="legend">
    ${(Object.keys(parts) as Part[])
      .filter((part) => present.has(part))
      .map((part) => {
        const height = part === 'none' ? lineHeight : 10
        return html`<li>
          <svg class="states" width="10" height="10" aria-hidden="true">
            <rect class="${parts[part].style}" y="${10 - height}" width="10" height="${height}" /></svg
          >${parts[part].text}
        </li>`
      })}
  </ul>`
}

/**
 * Data for the pointer and the arrow keys: the measured share of due probes, truncated and never rounded up.
 */
const dataOf = ({ rows, fromMs, stepMs }: LedgerStrip, count: number): string => {
  const shareOf = ({ due, measured }: SlotCounts): number | null =>
    due === 0 ? null : Math.floor((measured / due) * 1_000) / 10
  const texts = Array.from({ length: count }, (_, index) =>
    slotText(totalOf(rows.flatMap(({ slots }) => slots[index] ?? []))),
  )
  return JSON.stringify({
    from: fromMs,
    to: fromMs + count * stepMs,
    step: stepMs,
    zoom: null,
    unit: '%',
    lines: rows.map(({ key, name, slots }) => ({ key, name, style: '', values: slots.map(shareOf) })),
    states: texts,
  })
}
