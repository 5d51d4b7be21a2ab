/** What may stand before a statement's first word or after its last. */
const blank = /(?:\s|--[^\n]*(?:\n|$)|#[ !][^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/y
/** A piece whose inside is not to be looked into: comments, strings, quoted names. */
const opaque =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\]|\\[\s\S])*'|`(?:[^`\\]|\\[\s\S])*`|"(?:[^"\\]|\\[\s\S])*"/y

const startCharactersMax = 65_536

/**
 * Whether a statement writes rows that may follow it as bytes.
 * @param text the statement, perhaps with its data, which need not be text
 */
export const isInsert = (text: Uint8Array): boolean => {
  const start = Buffer.from(text.subarray(0, startCharactersMax)).toString('latin1')
  return /^insert\b/i.test(start.slice(blankEnd(start, 0)))
}

/** Whether a second statement follows a semicolon, which a server refuses over HTTP. */
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
