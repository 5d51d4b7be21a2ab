import type { Lexeme } from './yaml-lexemes.ts'

/** Where a line stands while its tokens are made. */
export type Line = { start: number; isFresh: boolean; isAfterTab: boolean; tabAt: number }

/** Takes the text of a block scalar, the first scalar after its header. */
export const skipBlock = (all: Generator<Lexeme, undefined>, line: Line): void => {
  for (let next = all.next(); next.done !== true; next = all.next()) {
    const { type, source, at } = next.value
    if (type !== 'scalar') continue
    Object.assign(line, { start: at + source.length, isFresh: true, tabAt: -1 })
    return
  }
}

/** Takes what is left of a flow mapping, with all that is in it. */
export const skipFlowMap = (all: Generator<Lexeme, undefined>, line: Line): void => {
  let depth = 1
  for (let next = all.next(); next.done !== true; next = all.next()) {
    const { type, source, at } = next.value
    const lastBreak = source.lastIndexOf('\n')
    if (lastBreak !== -1) line.start = at + lastBreak + 1
    if (type === 'flow-map-start' || type === 'flow-seq-start') depth += 1
    if (type === 'flow-map-end' || type === 'flow-seq-end') depth -= 1
    if (depth === 0 || type === 'flow-error-end') {
      line.isFresh = type === 'flow-error-end'
      return
    }
  }
}
