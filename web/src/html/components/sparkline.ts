import { html } from '@probe-mesh/runtime/html'
import type { Html, Piece } from '@probe-mesh/runtime/html'

const width = 96
const height = 24

/** One step of a sparkline; null where nothing was measured, or nothing that has a value. */
export type Spark = { value: number | null; isBad: boolean }

/**
 * A line from zero to the largest value, broken where there is none: nothing is drawn over silence. A
 * bad step has a mark at the bottom. It has no axes: the text, which is its title, says what it says.
 */
export const sparkline = (sparks: readonly Spark[], text: string): Html => {
  const most = Math.max(1, ...sparks.map(({ value }) => value ?? 0))
  const step = width / Math.max(1, sparks.length)
  const x = (index: number): string => ((index + 0.5) * step).toFixed(1)
  const y = (value: number): string => (height - 5 - (value / most) * (height - 7)).toFixed(1)
  let isDrawing = false
  const line = sparks.flatMap(({ value }, index) => {
    const begins = !isDrawing
    isDrawing = value !== null
    if (value === null) return []
    // a point by itself is seen as the round end of a line without length
    return begins ? [`M${x(index)} ${y(value)}h0`] : [`L${x(index)} ${y(value)}`]
  })
  const marks = sparks.flatMap(({ isBad }, index): Piece[] => (isBad ? [`M${x(index)} ${height - 3}v3`] : []))
  return html`<svg
    class="sparkline"
    role="img"
    width="${width}"
    height="${height}"
    viewBox="0 0 ${width} ${height}"
  >
    <title>${text}</title>
    <path d="${line.join('')}" />
    <path class="lapse" d="${marks.join('')}" />
  </svg>`
}
