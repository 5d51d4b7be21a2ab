import type { Say } from './node.ts'
import { subsetTokens } from './yaml-subset.ts'
import type { Token } from './yaml-subset.ts'

/** The tokens with two to look ahead at, as reading takes them. */
export type Tokens = {
  peek(): Token
  second(): Token
  take(): Token
  /** Reads nothing further: the rest of the text is not worth more problems. */
  cut(): void
  isCut(): boolean
}

/** @returns the tokens of the text, made as they are asked for: memory does not grow with it */
export const yamlTokens = (text: string, say: Say): Tokens => {
  const source = subsetTokens(text, say)
  const waiting: Token[] = []
  const state = { isCut: false }
  const end: Token = {
    kind: 'end',
    at: text.trimEnd().length,
    text: '',
    column: -1,
    isFirst: true,
    isAfterTab: false,
  }
  const ahead = (count: number): Token => {
    while (!state.isCut && waiting.length < count) {
      const next = source.next()
      if (next.done === true) break
      waiting.push(next.value)
    }
    return waiting[count - 1] ?? end
  }
  return {
    peek: () => ahead(1),
    second: () => ahead(2),
    take: () => {
      const token = ahead(1)
      waiting.shift()
      return token
    },
    cut: () => {
      state.isCut = true
      waiting.length = 0
    },
    isCut: () => state.isCut,
  }
}
