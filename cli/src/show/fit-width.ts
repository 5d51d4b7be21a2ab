import { widthOf } from '../file/display.ts'
import type { Look } from './look.ts'

/** A text that takes at most so many columns; where it is cut, that is marked. */
export const fitWidth = ({ isUtf8 }: Pick<Look, 'isUtf8'>, text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  const mark = isUtf8 ? '…' : '...'.slice(0, Math.max(0, width))
  return takeWidth(text, width - mark.length) + (width > 0 ? mark : '')
}

/** The beginning of a text that takes at most so many columns. */
export const takeWidth = (text: string, width: number): string => {
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
