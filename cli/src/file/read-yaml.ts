import { fileLimits } from './checks-file.ts'
import type { ListNode, MapNode, Node, Report } from './node.ts'
import { readInline, readScalar } from './read-inline.ts'
import {
  isFolded,
  isHere,
  isKey,
  isTabbed,
  nameOf,
  reportIndentation,
  skipDeeper,
  skipToKey,
} from './yaml-layout.ts'
import { yamlTokens, type Token, type Tokens } from './yaml-tokens.ts'

/** The state of reading: tokens, problem reporting, depth, and the column of the enclosing node. */
type Reading = { tokens: Tokens; report: Report; depth: number; outer: number }

/**
 * Reads block mappings and lists, flow lists of scalars, quoted and plain text, numbers, booleans
 * and comments, and reports everything else. After a problem it continues at the next line that is
 * not deeper, so that one run lists all problems.
 * @returns the root, or null for a text without content
 */
export const readYaml = (text: string, report: Report): Node | null => {
  const tokens = yamlTokens(text, report)
  if (tokens.peek().kind === 'end') return null
  const root = readNode({ tokens, report, depth: 1, outer: -1 })
  const rest = tokens.peek()
  if (rest.kind !== 'end') {
    report(rest.at, `${nameOf(rest)} is not expected after the end of the document`)
    // problems further down are still reported
    while (tokens.peek().kind !== 'end') tokens.take()
  }
  return root
}

/** The node that starts with the next token, which must exist. */
const readNode = (reading: Reading): Node => {
  const { tokens, report, depth } = reading
  const token = tokens.peek()
  const isBlock = token.kind === 'dash' || token.kind === 'question' || isKey(tokens)
  if (isBlock && depth > fileLimits.depthMax) {
    report(token.at, `is nested deeper than ${fileLimits.depthMax} levels`)
    tokens.cut()
    return { kind: 'invalid', at: token.at }
  }
  if (token.kind === 'dash') return readList(reading)
  return isBlock ? readMap(reading) : readInline(tokens, report)
}

const readList = (reading: Reading): ListNode => {
  const { tokens, report } = reading
  const { at, column } = tokens.peek()
  const list: ListNode = { kind: 'list', at, items: [] }
  const inner = { ...reading, depth: reading.depth + 1, outer: column }
  for (let dash = tokens.peek(); dash.kind !== 'end'; dash = tokens.peek()) {
    if (dash.isFirst && dash.column < column) break
    if (dash.column > column) {
      reportIndentation(report, dash, column)
      const above = list.items.at(-1)
      if (above?.kind === 'map') above.isPartial = true
      list.items.push({ kind: 'invalid', at: dash.at })
      skipDeeper(tokens, column)
      continue
    }
    if (dash.kind !== 'dash') break
    if (list.items.length === fileLimits.checksMax) {
      report(dash.at, `a list has at most ${fileLimits.checksMax} entries`)
      tokens.cut()
      break
    }
    tokens.take()
    const next = tokens.peek()
    if (isHere(next)) {
      const isBlock = next.kind === 'dash' || isKey(tokens)
      if (isBlock && next.isAfterTab) report(next.at, 'tabs are not supported as indentation: use a space')
    }
    list.items.push(
      isHere(next) || next.column > column ? readNode(inner) : { kind: 'scalar', at: dash.at, value: null },
    )
  }
  return list
}

const readMap = (reading: Reading): MapNode => {
  const { tokens, report, outer } = reading
  const { at, column } = tokens.peek()
  const map: MapNode = { kind: 'map', at, entries: new Map(), isPartial: false }
  const skip = (token: Token, message: string | null): void => {
    if (message !== null) report(token.at, message)
    map.isPartial = true
    skipDeeper(tokens, column)
  }
  let before: Token['kind'] | null = null
  for (let key = tokens.peek(); key.kind !== 'end'; key = tokens.peek()) {
    if (before !== null && key.column < column) {
      if (key.column <= outer || isTabbed(key) || !isKey(tokens)) break
      // a key of this map with too little indentation: the keys below keep theirs
      reportIndentation(report, key, column)
      map.isPartial = true
      skipToKey(tokens, column)
      continue
    }
    if (before !== null && key.column > column) {
      reportIndentation(report, key, column)
      skip(key, null)
    } else if (key.kind === 'question') skip(key, 'complex keys (?) are not supported: a key is text')
    else if (key.kind === 'colon') {
      skip(key, before === 'question' ? null : 'a key is missing before the colon')
    } else if (!isKey(tokens)) {
      skip(key, key.kind === 'invalid' ? null : `${nameOf(key)} where a key and a colon are expected`)
    } else if (map.entries.size === fileLimits.keysMax) {
      report(key.at, `a map has at most ${fileLimits.keysMax} keys`)
      tokens.cut()
    } else readEntry(reading, map, column)
    before = key.kind
  }
  map.isPartial ||= tokens.isCut() || isTabbed(tokens.peek())
  return map
}

const readEntry = (reading: Reading, map: MapNode, column: number): void => {
  const { tokens, report } = reading
  const key = tokens.take()
  tokens.take()
  const name = key.kind === 'plain' ? key.text : quotedKey(key, report)
  const first = tokens.peek()
  const value = readValue(reading, key, column)
  if (value.kind === 'invalid' && isFolded(first)) map.isPartial = true
  if (name === null) map.isPartial = true
  else if (name === '<<' && key.kind === 'plain') {
    report(key.at, 'merge keys (<<) are not supported: write the fields where they are used')
    map.isPartial = true
  } else if (map.entries.has(name)) {
    report(key.at, `the key ${name} is repeated in this map`)
  } else map.entries.set(name, { keyAt: key.at, value })
}

const quotedKey = (key: Token, report: Report): string | null => {
  if (key.kind === 'invalid') return null
  if (key.text.includes('\n')) {
    report(key.at, 'a key must end on the line where it starts')
    return null
  }
  const node = readScalar(key, report)
  return node.kind === 'scalar' && typeof node.value === 'string' ? node.value : null
}

/**
 * The value after a key's colon: on the same line, or deeper below; a list may start below the key.
 */
const readValue = (reading: Reading, key: Token, column: number): Node => {
  const { tokens, report } = reading
  const next = tokens.peek()
  const isListBelow = next.kind === 'dash' && next.column === column && next.isFirst
  if (!isHere(next)) {
    return next.column > column || isListBelow
      ? readNode({ ...reading, depth: reading.depth + 1, outer: column })
      : { kind: 'scalar', at: key.at, value: null }
  }
  if (next.kind === 'dash') report(next.at, 'start the list on its own line')
  else if (next.kind === 'question') report(next.at, 'complex keys (?) are not supported: a key is text')
  else if (isKey(tokens)) {
    report(tokens.second().at, 'a second colon on one line: write the text in quotes')
  } else return readInline(tokens, report)
  skipDeeper(tokens, column)
  return { kind: 'invalid', at: next.at }
}
