import { restNameOf } from '@probe-mesh/contracts/reading/readings-of-types'
import { restMsOf, type Timings } from '@probe-mesh/contracts/reading/reading-details'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import type { CheckType } from '@probe-mesh/contracts/check/check'
import { milliseconds } from '../html/measures.ts'
import { latencyScale, percentText } from './axes.ts'

/** In the order of a request. */
export const phases = [
  { key: 'dns', name: 'DNS', of: ({ dnsMs }: Timings) => dnsMs },
  { key: 'connect', name: 'Connect', of: ({ connectMs }: Timings) => connectMs },
  { key: 'tls', name: 'TLS', of: ({ tlsMs }: Timings) => tlsMs },
  { key: 'ttfb', name: 'First byte', of: ({ ttfbMs }: Timings) => ttfbMs },
  { key: 'transfer', name: 'Transfer', of: ({ transferMs }: Timings) => transferMs },
] as const

/** One request: when it began, ms after the first of them, and how long each phase took. */
export type WaterfallRow = {
  label: Piece
  startMs: number
  timings: Timings
  note?: Piece
  rest?: Segment | null
}

export type Segment = { key: string; name: string; fromMs: number; ms: number }

/** Phases follow one another; an unreached phase takes no time and is not drawn. */
export const segmentsOf = ({ startMs, timings }: Pick<WaterfallRow, 'startMs' | 'timings'>): Segment[] => {
  let fromMs = startMs
  return phases.flatMap(({ key, name, of }) => {
    const ms = of(timings)
    if (ms === null) return []
    const segment = { key, name, fromMs, ms }
    fromMs += ms
    return [segment]
  })
}

/** What a reading took besides its phases, named by its type; null if the phases add up to its latency. */
export const restOf = (
  type: CheckType,
  { latencyMs, timings }: { latencyMs: number | null; timings: Timings },
): Segment | null => {
  const ms = restMsOf(timings, latencyMs)
  return ms === null || latencyMs === null
    ? null
    : { key: 'rest', name: restNameOf(type), fromMs: latencyMs - ms, ms }
}

/** The end of the last request, ms. Several waterfalls with the same end share one scale. */
export const endOf = (rows: readonly Pick<WaterfallRow, 'startMs' | 'timings' | 'rest'>[]): number =>
  Math.max(0, ...rows.flatMap((row) => wholeOf(row).map(({ fromMs, ms }) => fromMs + ms)))

const wholeOf = (row: Pick<WaterfallRow, 'startMs' | 'timings' | 'rest'>): Segment[] => [
  ...segmentsOf(row),
  ...(row.rest ? [row.rest] : []),
]

/**
 * Requests as bars of phases, one row each, with the time of each phase as text. Null if no phase was
 * measured.
 * @param options.firstHeading what a row is, such as `Region` or `Step`
 * @param options.endMs the end of the scale; default: the end of these rows
 */
export const waterfall = (
  rows: readonly WaterfallRow[],
  { title, firstHeading, endMs = endOf(rows) }: { title: string; firstHeading: string; endMs?: number },
): Html | null => {
  const drawn = rows.map((row) => ({ row, segments: wholeOf(row) }))
  const isDrawn = ({ key }: { key: string }): boolean =>
    drawn.some(({ segments }) => segments.some((each) => each.key === key))
  if (!phases.some(isDrawn)) return null
  const rest = drawn.flatMap(({ row }) => row.rest ?? []).slice(0, 1)
  const shown = [...phases.filter(isDrawn), ...rest]
  const { most } = latencyScale(endMs)
  return html`<div class="scroll waterfall" role="group" aria-label="${title}" tabindex="0">
    <table>
      <caption class="unseen">
        ${title}
      </caption>
      <thead>
        <tr>
          <th scope="col">${firstHeading}</th>
          <th scope="col" class="bars">
            <span class="unseen">Phases</span>
            <ul class="legend">
              ${shown.map(
                ({ key, name }) =>
                  html`<li>
                    <svg width="10" height="10" aria-hidden="true">
                      <rect class="${key}" width="10" height="10" /></svg
                    >${name}
                  </li>`,
              )}
            </ul>
          </th>
          <th scope="col" class="number">Time</th>
        </tr>
      </thead>
      <tbody>
        ${drawn.map(
          ({ row, segments }) =>
            html`<tr>
              <th scope="row">${row.label}</th>
              <td class="bars">${bars(segments, most)}${row.note ?? null}</td>
              <td class="number">${milliseconds(segments.reduce((sum, { ms }) => sum + ms, 0))}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

const bars = (segments: readonly Segment[], most: number): Html =>
  html`<svg width="100%" height="16" role="img">
    <title>${segments.map(({ name, ms }) => `${name} ${milliseconds(ms)}`).join(', ')}</title>
    ${segments.map(
      ({ key, fromMs, ms }) =>
        html`<rect
          class="${key}"
          x="${percentText(fromMs / most)}"
          width="${percentText(ms / most)}"
          y="1"
          height="14"
        />`,
    )}
  </svg>`
