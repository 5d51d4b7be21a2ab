/** Blanks and comments before the first word of a statement or after the last. */
const blank = /(?:\s|--[^\n]*(?:\n|$)|#[ !][^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/y
/** Comments, strings and quoted names, whose content is skipped. */
const opaque =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\]|\\[\s\S])*'|`(?:[^`\\]|\\[\s\S])*`|"(?:[^"\\]|\\[\s\S])*"/y

const startCharactersMax = 65_536

/**
 * Whether a statement is an insert, whose rows may follow it as bytes.
 * @param text the statement, possibly with its data in any bytes
 */
export const isInsert = (text: Uint8Array): boolean => {
  const start = Buffer.from(text.subarray(0, startCharactersMax)).toString('latin1')
  return /^insert\b/i.test(start.slice(blankEnd(start, 0)))
}

/** Whether a second statement follows a semicolon. A server refuses that over HTTP. */
export const hasSecondStatement = (sql: string): boolean => {
  let at = 0
  while (at < sql.length) {
    opaque.lastIndex = at
    if (opaque.test(sql)) at = opaque.lastIndex
    else if (sql[at] !== ';') at += 1
    else return blankEnd(sql, at + 1) < sql.length
  }
  return false
}

const blankEnd = (text: string, from: number): number => {
  blank.lastIndex = from
  blank.test(text)
  return blank.lastIndex
}
