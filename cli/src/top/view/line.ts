import { widthOf } from '../../file/text-width.ts'
import { showLine } from '../../plan/show-value.ts'

/** The role of a part of a line, for its colour. Colour never carries meaning alone. */
export type Tone = 'good' | 'bad' | 'warn' | 'dim' | 'strong'

export type Span = { text: string; tone?: Tone }
export type Line = readonly Span[]

export const span = (text: string, tone?: Tone): Span => (tone === undefined ? { text } : { text, tone })

/** Foreign text made safe for a terminal, cut to a number of columns. */
export const cut = (text: string, width: number, more: string): string => {
  // enough characters for any combination of marks
  const shown = showLine(text.slice(0, 4 * width + 16))
  if (widthOf(shown) <= width) return shown
  const kept: string[] = []
  let used = widthOf(more)
  for (const character of shown) {
    used += widthOf(character)
    if (used > width) break
    kept.push(character)
  }
  return width < widthOf(more) ? '' : `${kept.join('')}${more}`
}

export const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)))

export const padStart = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - widthOf(text))) + text

export const lineWidth = (line: Line): number => line.reduce((sum, { text }) => sum + widthOf(text), 0)

/** One part at each edge; if both do not fit, the left one is cut. */
export const edges = (left: Line, right: Line, width: number, more: string): Line => {
  const room = width - lineWidth(right) - 2
  if (room < 8) return cutLine(left, width, more)
  const kept = cutLine(left, room, more)
  return [...kept, span(' '.repeat(width - lineWidth(kept) - lineWidth(right))), ...right]
}

/** A line cut to a width. */
export const cutLine = (line: Line, width: number, more: string): Line => {
  if (lineWidth(line) <= width) return line
  const kept: Span[] = []
  let left = width
  for (const part of line) {
    const text = widthOf(part.text) <= left ? part.text : cut(part.text, left, more)
    kept.push({ ...part, text })
    left -= widthOf(text)
    if (text !== part.text || left <= 0) break
  }
  return kept
}

export const textOf = (line: Line): string => line.map(({ text }) => text).join('')
