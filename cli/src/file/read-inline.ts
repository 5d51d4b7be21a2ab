import { CST } from 'yaml'
import { fileLimits } from './checks-file.ts'
import type { Node, Say } from './node.ts'
import { readNumber } from './number.ts'
import { isHere, nameOf, skipLine } from './yaml-layout.ts'
import type { Token, Tokens } from './yaml-tokens.ts'

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

/** "flow lists of scalars": reads one from its bracket to the end of it. */
const readFlowList = (tokens: Tokens, say: Say): Node => {
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

const constants = new Map<string, boolean | null>([
  ...['', '~', 'null', 'Null', 'NULL'].map((text) => [text, null] as const),
  ...['true', 'True', 'TRUE'].map((text) => [text, true] as const),
  ...['false', 'False', 'FALSE'].map((text) => [text, false] as const),
])
const decimal = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/
const based = /^(?:0o[0-7]+|0x[\da-fA-F]+)$/
/** What the library looks at: a character that plain text does not begin with. */
const mark = /^[,%@`|>\t]/
const noNumber = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/

/**
 * The value of a scalar: YAML 1.2's core schema, in which `yes` and `2026-01-01` are text, without
 * the spellings that a person and a parser read differently.
 */
export const readScalar = (token: Token, say: Say): Node => {
  const unread = (at: number, message: string): Node => {
    say(at, message)
    return { kind: 'unread', at: token.at }
  }
  const { text } = token
  if (token.kind === 'plain') {
    const lineEnd = text.indexOf('\n')
    if (lineEnd !== -1) {
      const rest = text.slice(lineEnd)
      return unread(
        token.at + lineEnd + rest.search(/\S/),
        'continues the plain text of the line above: quote the whole text, or check the indentation',
      )
    }
    const constant = constants.get(text)
    if (constant !== undefined) return { kind: 'scalar', at: token.at, value: constant }
    if (decimal.test(text)) {
      const number = readNumber(text)
      if (!number.ok) return unread(token.at, number.message)
      return { kind: 'scalar', at: token.at, value: number.value }
    }
    if (based.test(text)) {
      return unread(token.at, `would be read as ${Number(text)}: write that, or "${text}"`)
    }
    if (noNumber.test(text))
      return unread(token.at, `is no finite number: write "${text}" for text`)
    if (!mark.test(text)) return { kind: 'scalar', at: token.at, value: text }
  } else if (!isClosed(text)) {
    return unread(token.at, `the text is not closed by ${text.charAt(0)}`)
  } else if (text.startsWith('"') && !/[\\\n]/.test(text)) {
    return { kind: 'scalar', at: token.at, value: text.slice(1, -1) }
  }
  let isSound = true
  const scalar = CST.resolveAsScalar(toScalarToken(token), true, (at, _code, message) => {
    isSound = false
    say(at, message)
  })
  return isSound
    ? { kind: 'scalar', at: token.at, value: scalar.value }
    : { kind: 'unread', at: token.at }
}

const toScalarToken = ({ kind, at, text }: Token): CST.FlowScalar => ({
  type:
    kind === 'plain'
      ? 'scalar'
      : text.startsWith("'")
        ? 'single-quoted-scalar'
        : 'double-quoted-scalar',
  offset: at,
  indent: 0,
  source: text,
})

/** The lexer ends a quoted text at the first line that is not indented enough, closed or not. */
const isClosed = (text: string): boolean => {
  const quote = text.charAt(0)
  if (text.length < 2 || !text.endsWith(quote)) return false
  if (quote === "'") {
    let quotes = 0
    for (let at = text.indexOf(quote); at !== -1; at = text.indexOf(quote, at + 1)) quotes += 1
    return quotes % 2 === 0
  }
  let backslashes = 0
  while (text.charAt(text.length - 2 - backslashes) === '\\') backslashes += 1
  return backslashes % 2 === 0
}
