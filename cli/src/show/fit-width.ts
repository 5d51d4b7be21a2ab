import { widthOf } from '../file/text-width.ts'
import { showLine } from '../plan/show-value.ts'
import type { Display } from './display.ts'

/** Text cut to a number of columns, with a mark. */
export const fitWidth = ({ isUtf8 }: Pick<Display, 'isUtf8'>, text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  const mark = isUtf8 ? '…' : '...'.slice(0, Math.max(0, width))
  return takeWidth(text, width - mark.length) + (width > 0 ? mark : '')
}

/** The start of a text that fits a number of columns. */
const takeWidth = (text: string, width: number): string => {
  let taken = ''
  let used = 0
  for (const character of text) {
    used += widthOf(character)
    if (used > width) break
    taken += character
  }
  return taken
}

/** The spaces that pad a text to a number of columns. */
export const padding = (text: string, width: number): string => ' '.repeat(Math.max(0, width - widthOf(text)))

/** Minimum, however narrow the terminal reports itself. */
const columnsMin = 10

/**
 * Wraps a sentence without invisible characters; a word longer than a line, such as a URL, is
 * broken.
 * @param first prefix of the first line, cut if it leaves no room
 * @param rest prefix of the other lines, as wide as `first`
 */
export const wrapWords = (
  { columns }: Pick<Display, 'columns'>,
  text: string,
  first = '',
  rest?: string,
): string[] => {
  const head = takeWidth(showLine(first), columns - columnsMin)
  const room = Math.max(columnsMin, columns - widthOf(head))
  const lines = ['']
  for (const word of showLine(text).split(' ').flatMap(broken(room))) {
    const last = lines.at(-1) ?? ''
    if (last === '') lines[lines.length - 1] = word
    else if (widthOf(last) + 1 + widthOf(word) <= room) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  const below = rest ?? ' '.repeat(widthOf(head))
  return lines.map((line, n) => `${n === 0 ? head : below}${line}`.trimEnd())
}

const broken =
  (room: number) =>
  (word: string): string[] => {
    const parts: string[] = []
    let rest = word
    while (widthOf(rest) > room) {
      const part = takeWidth(rest, room)
      parts.push(part)
      rest = rest.slice(part.length)
    }
    return [...parts, rest]
  }
