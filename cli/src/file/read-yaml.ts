import { fileLimits } from './checks-file.ts'
import type { ListNode, MapNode, Node, Say } from './node.ts'
import { readInline, readScalar } from './read-inline.ts'
import {
  isFolded,
  isHere,
  isKey,
  isTabbed,
  nameOf,
  sayIndentation,
  skipDeeper,
  skipToKey,
} from './yaml-layout.ts'
import { yamlTokens } from './yaml-tokens.ts'
import type { Token, Tokens } from './yaml-tokens.ts'

/** What reading goes on with: the tokens, where problems go, how deep it is, and below which column. */
type Reading = { tokens: Tokens; say: Say; depth: number; outer: number }

/**
 * Reads "block mappings and lists, flow lists of scalars, quoted and plain strings, numbers,
 * booleans, # comments" (specification, Command-line tool) and says what else there is. After a
 * problem it goes on at the next line that is not deeper, so that one run says all of them.
 * @returns the root; null for a text without content
 */
export const readYaml = (text: string, say: Say): Node | null => {
  const tokens = yamlTokens(text, say)
  if (tokens.peek().kind === 'end') return null
  const root = readNode({ tokens, say, depth: 1, outer: -1 })
  const rest = tokens.peek()
  if (rest.kind !== 'end') {
    say(rest.at, `${nameOf(rest)} is not expected after the end of what the file holds`)
    // what is refused further down is said nevertheless
    while (tokens.peek().kind !== 'end') tokens.take()
  }
  return root
}

/** The node that begins with the next token, which is there. */
const readNode = (reading: Reading): Node => {
  const { tokens, say, depth } = reading
  const token = tokens.peek()
  const isBlock = token.kind === 'dash' || token.kind === 'question' || isKey(tokens)
  if (isBlock && depth > fileLimits.depthMax) {
    say(token.at, `is nested deeper than ${fileLimits.depthMax} levels`)
    tokens.cut()
    return { kind: 'unread', at: token.at }
  }
  if (token.kind === 'dash') return readList(reading)
  return isBlock ? readMap(reading) : readInline(tokens, say)
}

const readList = (reading: Reading): ListNode => {
  const { tokens, say } = reading
  const { at, column } = tokens.peek()
  const list: ListNode = { kind: 'list', at, items: [] }
  const inner = { ...reading, depth: reading.depth + 1, outer: column }
  for (let dash = tokens.peek(); dash.kind !== 'end'; dash = tokens.peek()) {
    if (dash.isFirst && dash.column < column) break
    if (dash.column > column) {
      sayIndentation(say, dash, column)
      const above = list.items.at(-1)
      if (above?.kind === 'map') above.isPartial = true
      list.items.push({ kind: 'unread', at: dash.at })
      skipDeeper(tokens, column)
      continue
    }
    if (dash.kind !== 'dash') break
    if (list.items.length === fileLimits.checksMax) {
      say(dash.at, `a list has at most ${fileLimits.checksMax} entries`)
      tokens.cut()
      break
    }
    tokens.take()
    const next = tokens.peek()
    if (isHere(next)) {
      const isBlock = next.kind === 'dash' || isKey(tokens)
      if (isBlock && next.isAfterTab) say(next.at, 'tabs are refused as indentation: use a space')
    }
    list.items.push(
      isHere(next) || next.column > column
        ? readNode(inner)
        : { kind: 'scalar', at: dash.at, value: null },
    )
  }
  return list
}

const readMap = (reading: Reading): MapNode => {
  const { tokens, say, outer } = reading
  const { at, column } = tokens.peek()
  const map: MapNode = { kind: 'map', at, entries: new Map(), isPartial: false }
  const skip = (token: Token, message: string | null): void => {
    if (message !== null) say(token.at, message)
    map.isPartial = true
    skipDeeper(tokens, column)
  }
  let before: Token['kind'] | null = null
  for (let key = tokens.peek(); key.kind !== 'end'; key = tokens.peek()) {
    if (before !== null && key.column < column) {
      if (key.column <= outer || isTabbed(key) || !isKey(tokens)) break
      // a key of this map that lost some of its indentation: those below are as they were
      sayIndentation(say, key, column)
      map.isPartial = true
      skipToKey(tokens, column)
      continue
    }
    if (before !== null && key.column > column) {
      sayIndentation(say, key, column)
      skip(key, null)
    } else if (key.kind === 'question') skip(key, 'complex keys (?) are refused: a key is text')
    else if (key.kind === 'colon') {
      skip(key, before === 'question' ? null : 'a key is missing before the colon')
    } else if (!isKey(tokens)) {
      skip(
        key,
        key.kind === 'unread' ? null : `${nameOf(key)} where a key and a colon are expected`,
      )
    } else if (map.entries.size === fileLimits.keysMax) {
      say(key.at, `a map has at most ${fileLimits.keysMax} keys`)
      tokens.cut()
    } else readEntry(reading, map, column)
    before = key.kind
  }
  map.isPartial ||= tokens.isCut() || isTabbed(tokens.peek())
  return map
}

const readEntry = (reading: Reading, map: MapNode, column: number): void => {
  const { tokens, say } = reading
  const key = tokens.take()
  tokens.take()
  const name = key.kind === 'plain' ? key.text : quotedKey(key, say)
  const first = tokens.peek()
  const value = readValue(reading, key, column)
  if (value.kind === 'unread' && isFolded(first)) map.isPartial = true
  if (name === null) map.isPartial = true
  else if (name === '<<' && key.kind === 'plain') {
    say(key.at, 'merge keys (<<) are refused: write the fields where they belong')
    map.isPartial = true
  } else if (map.entries.has(name)) {
    say(key.at, `the key ${name} is in this map already`)
  } else map.entries.set(name, { keyAt: key.at, value })
}

const quotedKey = (key: Token, say: Say): string | null => {
  if (key.kind === 'unread') return null
  if (key.text.includes('\n')) {
    say(key.at, 'a key ends on the line on which it begins')
    return null
  }
  const node = readScalar(key, say)
  return node.kind === 'scalar' && typeof node.value === 'string' ? node.value : null
}

/** The value after a key's colon: on its line, or deeper below; a list may begin below the key. */
const readValue = (reading: Reading, key: Token, column: number): Node => {
  const { tokens, say } = reading
  const next = tokens.peek()
  const isListBelow = next.kind === 'dash' && next.column === column && next.isFirst
  if (!isHere(next)) {
    return next.column > column || isListBelow
      ? readNode({ ...reading, depth: reading.depth + 1, outer: column })
      : { kind: 'scalar', at: key.at, value: null }
  }
  if (next.kind === 'dash') say(next.at, 'a list begins on a line of its own')
  else if (next.kind === 'question') say(next.at, 'complex keys (?) are refused: a key is text')
  else if (isKey(tokens)) {
    say(tokens.second().at, 'a second colon on one line: write the text in quotes')
  } else return readInline(tokens, say)
  skipDeeper(tokens, column)
  return { kind: 'unread', at: next.at }
}
