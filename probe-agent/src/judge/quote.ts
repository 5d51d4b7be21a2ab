import { maskNothing, type Mask } from '../secrets/mask.ts'

/**
 * Characters that reorder or hide text: control characters, line separators, direction, zero width.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu

const quotedCharactersMax = 60

/** Quotes foreign text in a reason: on one line, visible and short. */
export const quote = (text: string, mask: Mask = maskNothing): string => {
  const characters = [...mask.cut(text, 4 * quotedCharactersMax).replace(unseen, ' ')]
  const cut = characters.length > quotedCharactersMax
  return `"${characters.slice(0, quotedCharactersMax).join('')}${cut ? '…' : ''}"`
}
