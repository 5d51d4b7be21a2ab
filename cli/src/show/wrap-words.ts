import { widthOf } from '../file/display.ts'
import { showLine } from '../plan/show-value.ts'
import { takeWidth } from './fit-width.ts'
import type { Look } from './look.ts'

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
