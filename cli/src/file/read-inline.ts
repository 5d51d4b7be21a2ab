import { CST } from 'yaml'
import { fileLimits } from './checks-file.ts'
import type { Node, Report } from './node.ts'
import { readNumber } from './number.ts'
import { isHere, nameOf, skipLine } from './yaml-layout.ts'
import type { Token, Tokens } from './yaml-tokens.ts'

/** A scalar or a flow list, which must end its line. */
export const readInline = (tokens: Tokens, report: Report): Node => {
  const token = tokens.peek()
  const node = readOne(tokens, report)
  const next = tokens.peek()
  if (!isHere(next)) return node
  if (token.kind === 'open' && next.kind === 'colon') {
    report(token.at, 'complex keys are not supported: a key is text')
  } else if (isValid(node)) {
    report(next.at, `${nameOf(next)} is not expected after a value`)
  }
  skipLine(tokens)
  return { kind: 'invalid', at: token.at }
}

const isValid = (node: Node): boolean => node.kind !== 'invalid'

const readOne = (tokens: Tokens, report: Report): Node => {
  const token = tokens.peek()
  switch (token.kind) {
    case 'plain':
    case 'quoted':
      return readScalar(tokens.take(), report)
    case 'open':
      return readFlowList(tokens, report)
    case 'invalid':
      break
    default:
      report(token.at, `${nameOf(token)} where a value is expected`)
  }
  tokens.take()
  return { kind: 'invalid', at: token.at }
}

/** Reads a flow list of scalars to its closing bracket. */
const readFlowList = (tokens: Tokens, report: Report): Node => {
  const open = tokens.take()
  const items: Node[] = []
  /** What was read since the last comma. */
  let last: 'nothing' | 'value' | 'refused' = 'nothing'
  const refuse = (token: Token, message: string): void => {
    if (last !== 'refused') report(token.at, message)
    if (last !== 'value') items.push({ kind: 'invalid', at: token.at })
    last = 'refused'
  }
  for (let token = tokens.peek(); token.kind !== 'close'; token = tokens.peek()) {
    if (token.kind === 'end' || token.kind === 'cut') {
      report(open.at, 'the list is not closed by ]')
      if (token.kind === 'cut') tokens.take()
      return { kind: 'invalid', at: open.at }
    }
    if (items.length > fileLimits.keysMax) {
      report(token.at, `a list in brackets has at most ${fileLimits.keysMax} values`)
      tokens.cut()
      return { kind: 'invalid', at: open.at }
    }
    if (token.kind === 'comma') {
      if (last === 'nothing') refuse(token, 'a value is missing before the comma')
      last = 'nothing'
      tokens.take()
    } else if (token.kind === 'colon') {
      refuse(token, 'flow mappings are not supported: a list in brackets holds values')
      tokens.take()
    } else if (token.kind === 'open') {
      refuse(token, 'a list in brackets holds text, numbers and booleans, not another list')
      skipNested(tokens)
    } else if (token.kind === 'question') {
      refuse(token, 'complex keys (?) are not supported')
      tokens.take()
    } else if (token.kind === 'invalid') {
      last = 'refused'
      items.push({ kind: 'invalid', at: token.at })
      tokens.take()
    } else if (token.kind !== 'plain' && token.kind !== 'quoted') {
      refuse(token, `${token.text} where a value is expected`)
      tokens.take()
    } else if (last === 'nothing') {
      const node = readScalar(tokens.take(), report)
      last = node.kind === 'invalid' ? 'refused' : 'value'
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
/** Characters that plain text cannot start with: the library reports them. */
const mark = /^[,%@`|>\t]/
const noNumber = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/

/**
 * The value of a scalar in YAML 1.2's core schema, where `yes` and `2026-01-01` are text. Refuses
 * spellings that a person and a parser read differently.
 */
export const readScalar = (token: Token, report: Report): Node => {
  const invalid = (at: number, message: string): Node => {
    report(at, message)
    return { kind: 'invalid', at: token.at }
  }
  const { text } = token
  if (token.kind === 'plain') {
    const lineEnd = text.indexOf('\n')
    if (lineEnd !== -1) {
      const rest = text.slice(lineEnd)
      return invalid(
        token.at + lineEnd + rest.search(/\S/),
        'continues the plain text of the line above: quote the whole text, or check the indentation',
      )
    }
    const constant = constants.get(text)
    if (constant !== undefined) return { kind: 'scalar', at: token.at, value: constant }
    if (decimal.test(text)) {
      const number = readNumber(text)
      if (!number.ok) return invalid(token.at, number.message)
      return { kind: 'scalar', at: token.at, value: number.value }
    }
    if (based.test(text)) {
      return invalid(token.at, `would be read as ${Number(text)}: write that, or "${text}"`)
    }
    if (noNumber.test(text)) return invalid(token.at, `is not a finite number: write "${text}" for text`)
    if (!mark.test(text)) return { kind: 'scalar', at: token.at, value: text }
  } else if (!isClosed(text)) {
    return invalid(token.at, `the text is not closed by ${text.charAt(0)}`)
  } else if (text.startsWith('"') && !/[\\\n]/.test(text)) {
    return { kind: 'scalar', at: token.at, value: text.slice(1, -1) }
  }
  let isSound = true
  const scalar = CST.resolveAsScalar(toScalarToken(token), true, (at, _code, message) => {
    isSound = false
    report(at, message)
  })
  return isSound ? { kind: 'scalar', at: token.at, value: scalar.value } : { kind: 'invalid', at: token.at }
}

const toScalarToken = ({ kind, at, text }: Token): CST.FlowScalar => ({
  type: kind === 'plain' ? 'scalar' : text.startsWith("'") ? 'single-quoted-scalar' : 'double-quoted-scalar',
  offset: at,
  indent: 0,
  source: text,
})

/** The lexer ends a quoted text at the first line with too little indentation, closed or not. */
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
