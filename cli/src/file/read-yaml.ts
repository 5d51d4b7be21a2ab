import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { fileLimits } from './checks-file.ts'
import type { MapNode, Node, Report } from './node.ts'
import { readNumber } from './number.ts'
import { refuseYaml } from './refused-yaml.ts'

/** `brokenAt`: where the syntax is first wrong; what follows may have been read in another way than it is meant. */
type Read = { root: Node | null; brokenAt: number }

/**
 * Reads YAML 1.2 by its core schema, where `yes` and `2026-01-01` are text. Of YAML a file of checks has block mappings
 * and lists, lists of values in brackets, text on one line, numbers, booleans and comments; the rest is reported.
 * @returns no root for a text without content
 */
export const readYaml = (text: string, report: Report): Read => {
  const lineOf = (at: number): number => text.lastIndexOf('\n', at - 1)
  const told = new Set<number>()
  const tell: Report = (at, message) => {
    told.add(lineOf(at))
    report(at, message)
  }
  const end = refuseYaml(text, tell)
  const { contents, errors } = parseDocument(text.slice(0, end), {
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  })
  const last = Math.max(0, text.trimEnd().length - 1)
  const broken = errors.slice(0, fileLimits.problemsMax).map(({ code, pos, message }) => ({
    at: shownAt(text, pos[0], last),
    message: inOurWords(code, message),
  }))
  const brokenAt = Math.min(end < text.length ? end : Number.POSITIVE_INFINITY, ...broken.map(({ at }) => at))
  const reading = { text, report: tell, isPartial: brokenAt < text.length, depth: 1 }
  const root = contents === null || isEmpty(contents) ? null : readNode(contents, reading)
  // one error makes others of its line
  for (const { at, message } of broken) if (!told.has(lineOf(at))) tell(at, message)
  return { root, brokenAt }
}

const words: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'a second colon: write the text in quotes, or check the indentation',
  BAD_INDENT: 'is not indented as what stands above',
  MULTILINE_IMPLICIT_KEY: 'a key must end on the line where it starts: check the indentation',
  TAB_AS_INDENT: 'tabs are not supported as indentation: use spaces',
}

/** The errors of the library that people make most, in our words; the others in its own. */
const inOurWords = (code: string, message: string): string => {
  if (message.startsWith('Flow sequence')) return 'the list is not closed by ]'
  if (message.startsWith('Missing closing')) return `the text is not closed by ${message.charAt(16)}`
  if (message.startsWith('Comments must')) return 'a space is missing before the comment'
  return words[message.startsWith('Sequence item') ? 'BAD_INDENT' : code] ?? message
}

/** An error at the start or the end of a line is shown at what comes next, one at the end of the text at what is last. */
const shownAt = (text: string, at: number, last: number): number => {
  const isBetween = at === 0 || text.charAt(at - 1) === '\n' || /[\r\n]/.test(text.charAt(at))
  if (!isBetween) return Math.min(at, last)
  let first = at
  while (first < last && /\s/.test(text.charAt(first))) first += 1
  return Math.min(first, last)
}

type Reading = { text: string; report: Report; isPartial: boolean; depth: number }

const readNode = (node: unknown, reading: Reading): Node => {
  const at = atOf(node)
  const { report, depth } = reading
  if ((isMap(node) || isSeq(node)) && depth > fileLimits.depthMax) {
    report(at, `is nested deeper than ${fileLimits.depthMax} levels`)
    return { kind: 'invalid', at }
  }
  const inner = { ...reading, depth: depth + 1 }
  // reported by its token
  if (isAlias(node) || (isMap(node) && node.flow === true)) return { kind: 'invalid', at }
  if (isMap(node)) return readMap(node, inner)
  if (isSeq(node)) return node.flow === true ? readFlowList(node, inner) : readList(node, inner)
  return isScalar(node) ? readScalar(node, reading) : { kind: 'scalar', at, value: null }
}

const atOf = (node: unknown): number => (node as { range?: [number] | null } | null)?.range?.[0] ?? 0

const readList = ({ items, range }: YAMLSeq, reading: Reading): Node => {
  if (items.length > fileLimits.checksMax)
    reading.report(atOf(items[fileLimits.checksMax]), `a list has at most ${fileLimits.checksMax} entries`)
  const kept = items.slice(0, fileLimits.checksMax)
  return { kind: 'list', at: range?.[0] ?? 0, items: kept.map((item) => readNode(item, reading)) }
}

const readFlowList = (list: YAMLSeq, reading: Reading): Node => {
  const at = atOf(list)
  if (list.items.length > fileLimits.keysMax) {
    reading.report(at, `a list in brackets has at most ${fileLimits.keysMax} values`)
    return { kind: 'invalid', at }
  }
  const items = list.items.map((item): Node => {
    if (isScalar(item) || isAlias(item)) return readNode(item, reading)
    const isOfBraces = reading.text.charAt(atOf(item)) === '{'
    if (isSeq(item))
      reading.report(atOf(item), 'a list in brackets holds text, numbers and booleans, not another list')
    else if (!isOfBraces)
      reading.report(
        colonOf(item, reading.text),
        'flow mappings are not supported: a list in brackets holds values',
      )
    return { kind: 'invalid', at: atOf(item) }
  })
  return { kind: 'list', at, items }
}

/** The colon of a pair in a list, else its start. */
const colonOf = (map: unknown, text: string): number => {
  const [pair] = isMap(map) ? (map.items as Pair<Scalar, Scalar | null>[]) : []
  const colon = text.indexOf(':', pair?.key?.range?.[1] ?? atOf(map))
  return colon === -1 ? atOf(map) : colon
}

const readMap = (map: YAMLMap, reading: Reading): MapNode => {
  const { text, report, isPartial } = reading
  const read: MapNode = { kind: 'map', at: atOf(map), entries: new Map(), isPartial }
  for (const { key, value } of map.items) {
    const keyAt = atOf(key)
    // reported by its token
    const isExplicit = /(?:^|\s)\?[ \t]*$/.test(text.slice(Math.max(0, keyAt - 200), keyAt))
    if (isExplicit || !isScalar(key)) {
      if (!isExplicit) report(keyAt, 'a key is text')
      read.isPartial = true
      continue
    }
    const name = String(key.source ?? key.value)
    if (name === '<<' && key.type === 'PLAIN') {
      report(keyAt, 'merge keys (<<) are not supported: write the fields where they are used')
      read.isPartial = true
    } else if (read.entries.size === fileLimits.keysMax) {
      report(keyAt, `a map has at most ${fileLimits.keysMax} keys`)
      read.isPartial = true
      break
    } else if (read.entries.has(name)) report(keyAt, `the key ${name} is repeated in this map`)
    else {
      const node: Node =
        value === null ? { kind: 'scalar', at: keyAt, value: null } : readNode(value, reading)
      // an empty value stands where its key does
      read.entries.set(name, { keyAt, value: isEmpty(value) ? { ...node, at: keyAt } : node })
    }
  }
  return read
}

const isEmpty = (value: unknown): boolean => isScalar(value) && value.source === ''

const based = /^(?:0o[0-7]+|0x[\da-fA-F]+)$/

/** Refuses spellings that a person and a parser read differently. */
const readScalar = (scalar: Scalar, { text, report }: Reading): Node => {
  const at = atOf(scalar)
  const invalid = (message: string, where = at): Node => {
    report(where, message)
    return { kind: 'invalid', at }
  }
  const { value, source = '', type } = scalar
  // reported by its token
  if (type === 'BLOCK_FOLDED' || type === 'BLOCK_LITERAL') return { kind: 'invalid', at }
  const written = type === 'PLAIN' ? text.slice(at, scalar.range?.[1]) : ''
  const lineEnd = written.indexOf('\n')
  if (lineEnd !== -1) {
    const rest = written.slice(lineEnd)
    return invalid(
      'continues the plain text of the line above: quote the whole text, or check the indentation',
      at + lineEnd + rest.search(/\S/),
    )
  }
  if (typeof value !== 'number') return { kind: 'scalar', at, value: value as string | boolean | null }
  if (based.test(source)) return invalid(`would be read as ${value}: write that, or "${source}"`)
  if (/^[-+]?\.(?:inf|nan)$/i.test(source))
    return invalid(`is not a finite number: write "${source}" for text`)
  const number = readNumber(source)
  return number.ok ? { kind: 'scalar', at, value: number.value } : invalid(number.message)
}
