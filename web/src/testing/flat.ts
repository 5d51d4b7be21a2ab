import { textOf } from '../html/html.ts'
import type { Piece } from '../html/html.ts'

/** A page's text without the white space that browsers make nothing of, for tests to look into. */
export const flatten = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/> | </g, (sign) => sign.trim())
    .replace(/ ?\/?>/g, '>')

export const flat = (piece: Piece): string => flatten(textOf(piece))
