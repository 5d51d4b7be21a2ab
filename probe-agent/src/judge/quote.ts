/** Marks that turn or hide text: control characters, line separators, direction, zero width. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu

const quotedCharactersMax = 60

/** Foreign text as part of a reason: on one line, visible, short, and marked as quoted. */
export const quote = (text: string): string => {
  const characters = [...text.slice(0, 4 * quotedCharactersMax).replace(unseen, ' ')]
  const cut = characters.length > quotedCharactersMax
  return `"${characters.slice(0, quotedCharactersMax).join('')}${cut ? '…' : ''}"`
}
