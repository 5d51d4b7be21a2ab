import { widthOf } from '../file/display.ts'
import { showLine } from '../plan/show-value.ts'
import type { Look } from './look.ts'

/** A text that takes at most so many columns; where it is cut, that is marked. */
export const fitWidth = ({ isUtf8 }: Pick<Look, 'isUtf8'>, text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  const mark = isUtf8 ? '…' : '...'.slice(0, Math.max(0, width))
  return takeWidth(text, width - mark.length) + (width > 0 ? mark : '')
}

/** The beginning of a text that takes at most so many columns. */
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

/** Spaces that a text lacks to take so many columns. */
export const padding = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - widthOf(text)))

/** However narrow the terminal says it is. */
const columnsMin = 10

/**
 * A sentence over as many lines as it needs, with nothing unseen in it; a word that is longer than a
 * line, such as an address, is broken.
 * @param first before the first line, cut where it leaves no room
 * @param rest before every other line, as wide as `first`
 */
export const wrapWords = (
  { columns }: Pick<Look, 'columns'>,
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
