import type { Timings } from '@probe-mesh/contracts/reading/reading-details'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { latencyTicks } from './axes.ts'
import { drawing, frame, tenth } from './frame.ts'

/** In the order in which a request goes through them. */
export const phases = [
  { name: 'dns', of: ({ dnsMs }: Timings) => dnsMs },
  { name: 'connect', of: ({ connectMs }: Timings) => connectMs },
  { name: 'tls', of: ({ tlsMs }: Timings) => tlsMs },
  { name: 'ttfb', of: ({ ttfbMs }: Timings) => ttfbMs },
  { name: 'transfer', of: ({ transferMs }: Timings) => transferMs },
] as const

/** One request: when it began, ms after the first of them, and how long each phase took. */
export type PhaseRow = { label: string; startMs: number; timings: Timings }

export type Segment = { name: string; fromMs: number; ms: number }

/** Phases follow one another; one that was not reached takes no time and is not drawn. */
export const segmentsOf = ({ startMs, timings }: PhaseRow): Segment[] => {
  let fromMs = startMs
  return phases.flatMap(({ name, of }) => {
    const ms = of(timings)
    if (ms === null) return []
    const segment = { name, fromMs, ms }
    fromMs += ms
    return [segment]
  })
}

const rowHeight = 26
const left = 140
/** Width of a letter at the size of the labels: a name is written where it fits. */
const letterWidth = 7

/** Requests as bars of their phases, one below the other; null where no phase was measured. */
export const phaseBars = (
  id: string,
  rows: readonly PhaseRow[],
  { title }: { title: string },
): Html | null => {
  const drawn = rows.map((row) => ({ row, segments: segmentsOf(row) }))
  const ends = drawn.flatMap(({ segments }) => segments.map(({ fromMs, ms }) => fromMs + ms))
  if (ends.length === 0) return null
  const ticks = latencyTicks(Math.max(...ends))
  const most = ticks.at(-1)?.at ?? 1
  const x = (ms: number): number => tenth(left + (ms / most) * (frame.width - left - 30))
  const bottom = rows.length * rowHeight + 22
  return drawing(
    id,
    {
      title,
      height: bottom + 24,
      description: `${rows.length} bars of dns, connect, tls, ttfb and transfer, in milliseconds. The table has every value.`,
    },
    html`<g class="axis">
        ${ticks.map(
          ({ at, label }) =>
            html`<line x1="${x(at)}" x2="${x(at)}" y1="22" y2="${bottom + 4}" />
              <text x="${x(at)}" y="${bottom + 18}" text-anchor="middle">${label}</text>`,
        )}
        ${phases.map(
          ({ name }, index) =>
            html`<rect class="${name}" x="${left + index * 90}" y="3" width="14" height="12" />
              <text x="${left + 20 + index * 90}" y="13">${name}</text>`,
        )}
        ${rows.map(
          ({ label }, index) =>
            html`<text x="${left - 8}" y="${index * rowHeight + 40}" text-anchor="end">${label}</text>`,
        )}
      </g>
      ${drawn.map(({ segments }, index) =>
        segments.map(({ name, fromMs, ms }) => {
          const width = tenth(x(fromMs + ms) - x(fromMs))
          const y = index * rowHeight + 26
          return html`<rect class="${name}" x="${x(fromMs)}" y="${y}" width="${width}" height="20" />${
              width > name.length * letterWidth + 6 &&
              html`<text class="${name}" x="${x(fromMs) + 4}" y="${y + 14}">${name}</text>`
            }`
        }),
      )}`,
  )
}
