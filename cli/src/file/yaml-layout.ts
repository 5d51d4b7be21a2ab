import type { Say } from './node.ts'
import type { Token, Tokens } from './yaml-tokens.ts'

/** Whether the token goes on with the line of the one before. */
export const isHere = (token: Token): boolean => !token.isFirst && token.kind !== 'end'

/** A plain text that took the line below as its own, which may well be the next key. */
export const isFolded = ({ kind, text }: Token): boolean => kind === 'plain' && text.includes('\n')

/** Whether a key comes next; a plain text of several lines is a value wherever it stands. */
export const isKey = (tokens: Tokens): boolean => {
  const key = tokens.peek()
  if (key.kind === 'colon') return true
  if (key.kind !== 'plain' && key.kind !== 'quoted' && key.kind !== 'unread') return false
  if (isFolded(key)) return false
  const next = tokens.second()
  return next.kind === 'colon' && isHere(next)
}

export const skipLine = (tokens: Tokens): void => {
  while (isHere(tokens.peek())) tokens.take()
}

/** Takes what is left of the line, and the lines below it that are deeper than the column. */
export const skipDeeper = (tokens: Tokens, column: number): void => {
  do {
    tokens.take()
    skipLine(tokens)
  } while (tokens.peek().kind !== 'end' && tokens.peek().column > column)
}

/**
 * Takes a line and what may belong to it, up to the next key at the column or to what is less deep.
 * Its plain text can hold the key of the line below, which is then taken with it.
 */
export const skipToKey = (tokens: Tokens, column: number): void => {
  do {
    tokens.take()
    skipLine(tokens)
  } while (tokens.peek().column > column || (tokens.peek().column === column && !isKey(tokens)))
}

/** A line whose indentation is said already to have tabs, and could be any. */
export const isTabbed = (token: Token): boolean => token.isFirst && token.isAfterTab

export const sayIndentation = (say: Say, token: Token, expected: number): void => {
  if (isTabbed(token)) return
  say(token.at, `is indented by ${token.column} where ${expected} is expected`)
}

export const nameOf = (token: Token): string =>
  token.kind === 'plain' || token.kind === 'quoted' ? 'text' : token.text
