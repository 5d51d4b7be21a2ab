import { CST, Lexer } from 'yaml'
import { fileLimits } from './checks-file.ts'
import type { Say } from './node.ts'

/** A slice of the text as YAML's lexer cuts it. */
export type Lexeme = { type: CST.TokenType | null; source: string; at: number }

/** The lexer's slices with their types: after the mark of a scalar comes its text, whatever it holds. */
export function* lexemes(text: string, say: Say): Generator<Lexeme, undefined> {
  let at = 0
  let left: number = fileLimits.lexemesMax
  let isScalar = false
  for (const source of new Lexer().lex(text)) {
    const type = isScalar ? 'scalar' : CST.tokenType(source)
    if (!isScalar && type === 'scalar') {
      isScalar = true
      continue
    }
    isScalar = false
    if (left === 0) {
      say(at, 'the file has more marks and values than checks could have')
      return
    }
    left -= 1
    const isMark = type === 'doc-mode' || type === 'flow-error-end'
    yield { type, source, at }
    if (!isMark) at += source.length
  }
}
