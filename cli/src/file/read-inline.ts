import type { Node, Say } from './node.ts'
import { readFlowList } from './read-flow-list.ts'
import { readScalar } from './read-scalar.ts'
import { isHere, nameOf, skipLine } from './yaml-layout.ts'
import type { Tokens } from './yaml-tokens.ts'

/** A scalar or a flow list, after which its line ends. */
export const readInline = (tokens: Tokens, say: Say): Node => {
  const token = tokens.peek()
  const node = readOne(tokens, say)
  const next = tokens.peek()
  if (!isHere(next)) return node
  if (token.kind === 'open' && next.kind === 'colon') {
    say(token.at, 'complex keys are refused: a key is text')
  } else if (isRead(node)) {
    say(next.at, `${nameOf(next)} is not expected after a value`)
  }
  skipLine(tokens)
  return { kind: 'unread', at: token.at }
}

const isRead = (node: Node): boolean => node.kind !== 'unread'

const readOne = (tokens: Tokens, say: Say): Node => {
  const token = tokens.peek()
  switch (token.kind) {
    case 'plain':
    case 'quoted':
      return readScalar(tokens.take(), say)
    case 'open':
      return readFlowList(tokens, say)
    case 'unread':
      break
    default:
      say(token.at, `${nameOf(token)} where a value is expected`)
  }
  tokens.take()
  return { kind: 'unread', at: token.at }
}
