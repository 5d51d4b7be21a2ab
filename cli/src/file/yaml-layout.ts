import type { Report } from './node.ts'
import type { Token, Tokens } from './yaml-tokens.ts'

/** Whether the token continues the line of the previous one. */
export const isHere = (token: Token): boolean => !token.isFirst && token.kind !== 'end'

/** A plain text that absorbed the line below, which may be the next key. */
export const isFolded = ({ kind, text }: Token): boolean => kind === 'plain' && text.includes('\n')

/** Whether a key comes next; plain text of several lines is always a value. */
export const isKey = (tokens: Tokens): boolean => {
  const key = tokens.peek()
  if (key.kind === 'colon') return true
  if (key.kind !== 'plain' && key.kind !== 'quoted' && key.kind !== 'invalid') return false
  if (isFolded(key)) return false
  const next = tokens.second()
  return next.kind === 'colon' && isHere(next)
}

export const skipLine = (tokens: Tokens): void => {
  while (isHere(tokens.peek())) tokens.take()
}

/** Skips the rest of the line, and the lines below that are deeper than the column. */
export const skipDeeper = (tokens: Tokens, column: number): void => {
  do {
    tokens.take()
    skipLine(tokens)
  } while (tokens.peek().kind !== 'end' && tokens.peek().column > column)
}

/**
 * Skips a line and what may belong to it, up to the next key at the column or a line that is less
 * deep. Plain text may have absorbed the key of the line below, which is then skipped too.
 */
export const skipToKey = (tokens: Tokens, column: number): void => {
  do {
    tokens.take()
    skipLine(tokens)
  } while (tokens.peek().column > column || (tokens.peek().column === column && !isKey(tokens)))
}

/** A line that was reported for tabs in its indentation, so its column is unknown. */
export const isTabbed = (token: Token): boolean => token.isFirst && token.isAfterTab

export const reportIndentation = (report: Report, token: Token, expected: number): void => {
  if (isTabbed(token)) return
  report(token.at, `is indented by ${token.column} where ${expected} is expected`)
}

export const nameOf = (token: Token): string =>
  token.kind === 'plain' || token.kind === 'quoted' ? 'text' : token.text
