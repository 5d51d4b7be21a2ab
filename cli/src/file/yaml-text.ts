/**
 * Text that every reader of YAML, 1.1 too, takes for that text without quotes: it begins with a
 * letter, so it is no number and no date, and nothing in it starts a comment or a value.
 */
const plain = /^\p{L}(?:[\p{L}\p{M}\p{N} _\-./()+,;&=%?@$[\]]|:(?=[^\s]))*$/u
const words = new Set(['null', 'true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n'])

/** Invisible or broken as it stands: controls, format characters, separators but the space. */
const hidden = /(?! )[\p{C}\p{Z}]/gu
const short: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Text as a YAML scalar of one line: plain where that is safe, else in double quotes. */
export const yamlText = (text: string): string =>
  plain.test(text) && !text.endsWith(' ') && !words.has(text.toLowerCase())
    ? text
    : `"${visible(text.replaceAll(/["\\]/g, '\\$&'))}"`

/** Text on one line, with an escape for everything that would not be seen in it. */
export const visible = (text: string): string =>
  text.replaceAll(hidden, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16)
    if (short[character] !== undefined) return short[character]
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
  })
