/** Combining marks, joiners and variation selectors: drawn on the previous character. */
const narrow = /^[\p{M}\p{Cf}]$/u
/** Two columns in a terminal: East Asian wide characters and most emoji. */
const wide =
  /^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303e\uff01-\uff60]$/u

/** Control characters, direction overrides, line breaks, and halves of surrogate pairs. */
const active = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** Text that is safe for a terminal: tabs become two spaces, control characters a mark. */
export const shown = (text: string): string => text.replaceAll('\t', '  ').replaceAll(active, '\ufffd')

/** The columns of a text in a terminal. */
export const widthOf = (text: string): number => {
  let width = 0
  for (const character of text) {
    if (!narrow.test(character)) width += wide.test(character) ? 2 : 1
  }
  return width
}
