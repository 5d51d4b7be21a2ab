import { fileLimits } from './checks-file.ts'
import type { Node, Say } from './node.ts'
import { readScalar } from './read-scalar.ts'
import type { Token } from './yaml-subset.ts'
import type { Tokens } from './yaml-tokens.ts'

/** "flow lists of scalars": reads one from its bracket to the end of it. */
export const readFlowList = (tokens: Tokens, say: Say): Node => {
  const open = tokens.take()
  const items: Node[] = []
  /** What stands since the last comma. */
  let last: 'nothing' | 'value' | 'refused' = 'nothing'
  const refuse = (token: Token, message: string): void => {
    if (last !== 'refused') say(token.at, message)
    if (last !== 'value') items.push({ kind: 'unread', at: token.at })
    last = 'refused'
  }
  for (let token = tokens.peek(); token.kind !== 'close'; token = tokens.peek()) {
    if (token.kind === 'end' || token.kind === 'cut') {
      say(open.at, 'the list is not closed by ]')
      if (token.kind === 'cut') tokens.take()
      return { kind: 'unread', at: open.at }
    }
    if (items.length > fileLimits.keysMax) {
      say(token.at, `a list in brackets has at most ${fileLimits.keysMax} values`)
      tokens.cut()
      return { kind: 'unread', at: open.at }
    }
    if (token.kind === 'comma') {
      if (last === 'nothing') refuse(token, 'a value is missing before the comma')
      last = 'nothing'
      tokens.take()
    } else if (token.kind === 'colon') {
      refuse(token, 'flow mappings are refused: a list in brackets holds values')
      tokens.take()
    } else if (token.kind === 'open') {
      refuse(token, 'lists in brackets hold text, numbers and booleans, no further list')
      skipNested(tokens)
    } else if (token.kind === 'question') {
      refuse(token, 'complex keys (?) are refused')
      tokens.take()
    } else if (token.kind === 'unread') {
      last = 'refused'
      items.push({ kind: 'unread', at: token.at })
      tokens.take()
    } else if (token.kind !== 'plain' && token.kind !== 'quoted') {
      refuse(token, `${token.text} where a value is expected`)
      tokens.take()
    } else if (last === 'nothing') {
      const node = readScalar(tokens.take(), say)
      last = node.kind === 'unread' ? 'refused' : 'value'
      items.push(node)
    } else {
      refuse(token, 'a comma is missing before this value')
      tokens.take()
    }
  }
  tokens.take()
  return { kind: 'list', at: open.at, items }
}

const skipNested = (tokens: Tokens): void => {
  let depth = 0
  do {
    const { kind } = tokens.peek()
    if (kind === 'end' || kind === 'cut') return
    if (kind === 'open') depth += 1
    if (kind === 'close') depth -= 1
    tokens.take()
  } while (depth > 0)
}
