import { CST } from 'yaml'
import type { Node, Say } from './node.ts'
import { readNumber } from './number.ts'
import type { Token } from './yaml-subset.ts'

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
