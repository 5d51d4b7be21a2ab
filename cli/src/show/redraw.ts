import { stripVTControlCharacters } from 'node:util'
import { widthOf } from '../file/display.ts'

const eraseBelow = '\u001B[J'

/**
 * What puts lines in the place of those that were drawn last, from the cursor below them: up, erase,
 * write. A terminal that was made narrower since has broken old lines, which is counted in.
 */
export const redraw = (
  drawn: readonly string[],
  lines: readonly string[],
  columns: number,
): string => {
  const rows = drawn.reduce((sum, line) => {
    const width = widthOf(stripVTControlCharacters(line))
    return sum + Math.max(1, Math.ceil(width / columns))
  }, 0)
  const up = rows === 0 ? '' : `\r\u001B[${rows}A${eraseBelow}`
  return `${up}${lines.map((line) => `${line}\n`).join('')}`
}
