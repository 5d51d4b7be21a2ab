import { fileLimits } from './checks-file.ts'
import type { MapNode, Node, Report } from './node.ts'
import { readNumber } from './number.ts'

/** The state of reading JSON: the first syntax error moves `at` to the end. */
type Reading = { text: string; at: number; isBroken: boolean; report: Report }

const constants = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const

/**
 * Reads JSON (RFC 8259) with the position of every value, which `JSON.parse` does not give. Returns
 * what precedes a syntax error, so that its problems are listed too.
 * @returns the root, or null for a text without content
 */
export const readJson = (text: string, report: Report): Node | null => {
  const reading: Reading = { text, at: 0, isBroken: false, report }
  skipSpace(reading)
  if (reading.at === text.length) return null
  const root = readNode(reading, 1)
  skipSpace(reading)
  if (reading.at < text.length) fail(reading, 'is not expected after the end of the document')
  return root
}

const readNode = (reading: Reading, depth: number): Node => {
  const { text, at } = reading
  const first = text.charAt(at)
  if (first === '{' || first === '[') {
    if (depth > fileLimits.depthMax) {
      return fail(reading, `is nested deeper than ${fileLimits.depthMax} levels`)
    }
    return first === '{' ? readMap(reading, depth) : readList(reading, depth)
  }
  if (first === '"') {
    const value = readText(reading)
    return value === null ? { kind: 'invalid', at } : { kind: 'scalar', at, value }
  }
  for (const [name, value] of constants) {
    if (!text.startsWith(name, at)) continue
    reading.at += name.length
    return { kind: 'scalar', at, value }
  }
  return readNumeral(reading)
}

const readNumeral = (reading: Reading): Node => {
  const { text, at } = reading
  const numeral = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y
  numeral.lastIndex = at
  const match = numeral.exec(text)
  if (match === null) return fail(reading, 'a value is expected here')
  reading.at = numeral.lastIndex
  const number = readNumber(match[0])
  if (number.ok) return { kind: 'scalar', at, value: number.value }
  reading.report(at, number.message)
  return { kind: 'invalid', at }
}

const readText = (reading: Reading): string | null => {
  const { text, at } = reading
  const plain = /[^"\\\u0000-\u001f]*/y // eslint-disable-line no-control-regex
  let end = at + 1
  for (;;) {
    plain.lastIndex = end
    plain.exec(text)
    end = plain.lastIndex
    if (text.charAt(end) !== '\\') break
    end += 2
  }
  if (text.charAt(end) !== '"') {
    reading.at = Math.min(end, text.length)
    const isControl = end < text.length && text.charAt(end) !== '\n' && text.charAt(end) !== '\r'
    fail(
      isControl ? reading : { ...reading, at },
      isControl ? 'write a control character in text as an escape' : 'the text is not closed',
    )
    stop(reading)
    return null
  }
  reading.at = end + 1
  try {
    return JSON.parse(text.slice(at, reading.at)) as string
  } catch {
    reading.report(at, 'the text has an escape that JSON does not define')
    return null
  }
}

const readList = (reading: Reading, depth: number): Node => {
  const items: Node[] = []
  const { at } = reading
  readParts(reading, ']', () => {
    if (items.length === fileLimits.checksMax) {
      fail(reading, `a list has at most ${fileLimits.checksMax} entries`)
    } else items.push(readNode(reading, depth + 1))
  })
  return { kind: 'list', at, items }
}

const readMap = (reading: Reading, depth: number): Node => {
  const map: MapNode = { kind: 'map', at: reading.at, entries: new Map(), isPartial: false }
  readParts(reading, '}', () => {
    const keyAt = reading.at
    if (reading.text.charAt(keyAt) !== '"') return fail(reading, 'a key in double quotes is expected')
    const key = readText(reading)
    skipSpace(reading)
    if (reading.isBroken) return
    if (reading.text.charAt(reading.at) !== ':') return fail(reading, 'a colon is expected here')
    reading.at += 1
    skipSpace(reading)
    const value = readNode(reading, depth + 1)
    if (key === null) map.isPartial = true
    else if (map.entries.has(key)) reading.report(keyAt, `the key ${key} is repeated in this map`)
    else map.entries.set(key, { keyAt, value })
    if (map.entries.size > fileLimits.keysMax) {
      fail(reading, `a map has at most ${fileLimits.keysMax} keys`)
    }
  })
  map.isPartial ||= reading.isBroken
  return map
}

/** Reads the parts between brackets, separated by commas. */
const readParts = (reading: Reading, close: ']' | '}', readPart: () => void): void => {
  const { text } = reading
  reading.at += 1
  skipSpace(reading)
  if (text.charAt(reading.at) === close) {
    reading.at += 1
    return
  }
  while (!reading.isBroken) {
    readPart()
    skipSpace(reading)
    if (reading.isBroken) return
    const next = text.charAt(reading.at)
    if (next !== ',' && next !== close) return void fail(reading, `a comma or ${close} is expected`)
    reading.at += 1
    if (next === close) return
    skipSpace(reading)
  }
}

const skipSpace = (reading: Reading): void => {
  const space = /[ \t\n\r]*/y
  space.lastIndex = reading.at
  space.exec(reading.text)
  reading.at = space.lastIndex
}

/** Reports a syntax error; nothing after it can be understood. */
const fail = (reading: Reading, message: string): Node => {
  const at = Math.min(reading.at, reading.text.trimEnd().length)
  if (!reading.isBroken) reading.report(at, message)
  stop(reading)
  return { kind: 'invalid', at }
}

const stop = (reading: Reading): void => {
  reading.isBroken = true
  reading.at = reading.text.length
}
