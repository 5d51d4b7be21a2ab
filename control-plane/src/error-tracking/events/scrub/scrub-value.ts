import { removedMark } from '@probe-mesh/contracts/error-tracking/removed'
import { cutRest } from '../raw/cut-text.ts'
import { isRecord } from '../raw/record.ts'
import { jsonIn } from './encoded.ts'
import { scrubText } from './scrub-text.ts'
import type { TextRules } from './scrub-text.ts'
import { mayStay, secretName } from './secret-name.ts'

/** Of JSON within JSON, JSON in its texts included. */
export const depthMax = 100
/** Values of one event. A mark of what was cut is none. */
export const nodesMax = 50_000

/** Characters of a text that is not all kept, as many as are kept of any. */
const textCharactersMax = 8_192
/**
 * More of such a text are looked at than are kept, and what comes out loses as many at its end: there may be the
 * beginning of something secret whose form shows only extraNames on.
 */
const textTail = 2_048
/** A text that is longer is cut here, at the latest. */
export const textWindowMax = textCharactersMax + textTail

export const tooDeep = '[cut: too deep]'
export const tooMany = '[cut: too many values]'

/** What one event has left of `nodesMax`: shared by all its values. */
export type NodesLeft = { nodes: number }

/** Any JSON without what looks secret, in names and in values, and within bounds (S-3008). */
export const scrubValue = (value: unknown, rules: TextRules, left: NodesLeft, depth = 0): unknown => {
  left.nodes--
  if (typeof value === 'string') return scrubString(value, rules, left, depth)
  if (typeof value === 'number') return scrubNumber(value)
  if (typeof value !== 'object' || value === null) return value ?? null
  if (depth >= depthMax) return tooDeep
  if (Array.isArray(value)) return scrubList(value as unknown[], rules, left, depth)
  return scrubRecord(value as Record<string, unknown>, rules, left, depth)
}

/** A text, or JSON in one. */
const scrubString = (text: string, rules: TextRules, left: NodesLeft, depth: number): string => {
  const sound = text.includes('\0') || !text.isWellFormed() ? text.replaceAll('\0', '').toWellFormed() : text
  const json = depth < depthMax ? jsonIn(sound) : undefined
  if (json === undefined) return scrubLong(sound, rules)
  const scrubbed = JSON.stringify(scrubValue(json, rules, left, depth + 1))
  // what a name has twice is in the text only
  return scrubText(scrubbed === JSON.stringify(json) ? sound : scrubbed, rules)
}

const scrubLong = (text: string, rules: TextRules): string => {
  if (text.length < textWindowMax) return scrubText(text, rules)
  const scrubbed = scrubText(text.slice(0, textWindowMax), rules)
  const kept = Math.min(scrubbed.length - textTail, textCharactersMax - cutRest.length)
  return `${scrubbed.slice(0, Math.max(0, kept))}${cutRest}`.toWellFormed()
}

/** Digits enough for a card, as long as a double holds them. */
const scrubNumber = (value: number): unknown => {
  if (!Number.isSafeInteger(value) || value < 1e12) return value
  const text = String(value)
  const scrubbed = scrubText(text, numberRules)
  return scrubbed === text ? value : scrubbed
}
const numberRules: TextRules = { extraNames: new Set(), keepAddresses: true }

const scrubList = (list: readonly unknown[], rules: TextRules, left: NodesLeft, depth: number): unknown[] => {
  const out: unknown[] = []
  /** What the entry before says of this one: an option and its value stand beside one another. */
  let option: string | null = null
  for (const entry of list) {
    if (left.nodes <= 0 && entry !== tooMany) return [...out, tooMany]
    const removed =
      option !== null && typeof entry === 'string' && !entry.startsWith('-')
        ? removedBy([option], entry, rules)
        : removedPair(entry, rules)
    if (removed !== undefined) left.nodes--
    out.push(removed ?? (entry === tooMany ? entry : scrubValue(entry, rules, left, depth + 1)))
    option = typeof entry === 'string' ? (/^--?([A-Za-z][\w-]{1,60})$/.exec(entry)?.[1] ?? null) : null
  }
  return out
}

/** A header as a list of name and value, without the value; undefined where it is none, or may stay. */
const removedPair = (entry: unknown, rules: TextRules): unknown => {
  if (!Array.isArray(entry) || entry.length !== 2) return undefined
  const [name, value] = entry as unknown[]
  if (typeof name !== 'string' || !/^[\w.$-]{1,80}$/.test(name)) return undefined
  const removed = removedBy([name], value, rules)
  return removed === undefined ? undefined : [scrubText(name, rules), removed]
}

const scrubRecord = (
  record: Readonly<Record<string, unknown>>,
  rules: TextRules,
  left: NodesLeft,
  depth: number,
): Record<string, unknown> => {
  const out = new Map<string, unknown>()
  const named = namesOfValue(record, rules)
  for (const [key, value] of Object.entries(record)) {
    if (left.nodes <= 0 && value !== tooMany) {
      out.set('…', tooMany)
      break
    }
    // a name may hold JSON as well: of a body that was taken for a form
    const shown = scrubString(key, rules, left, depth + 1)
    const names = key === 'value' ? [...named, key] : [key, shown]
    const removed = removedBy(names, value, rules)
    if (removed !== undefined) left.nodes--
    const kept = removed ?? (value === tooMany ? value : scrubValue(value, rules, left, depth + 1))
    out.set(freeKey(out, shown), kept)
  }
  // `fromEntries` makes a key `__proto__` a key like any other
  return Object.fromEntries(out)
}

/** Of `{name, value}`, as headers, cookies and fields of forms are listed: as it came and scrubbed. */
const namesOfValue = (record: Readonly<Record<string, unknown>>, rules: TextRules): string[] => {
  if (!Object.hasOwn(record, 'value')) return []
  return ['name', 'key', 'field', 'header', 'id'].flatMap((key) => {
    const name = Object.hasOwn(record, key) ? record[key] : undefined
    return typeof name === 'string' ? [name, scrubText(name, rules)] : []
  })
}

/** A key that was scrubbed may be one that is there already. */
const freeKey = (taken: ReadonlyMap<string, unknown>, key: string): string => {
  if (!taken.has(key)) return key
  for (let number = 2; ; number++) if (!taken.has(`${key} (${number})`)) return `${key} (${number})`
}

/** The mark in place of a value that one of its names says is secret; undefined where it may stay. */
const removedBy = (
  names: readonly string[],
  value: unknown,
  { extraNames }: TextRules,
): string | undefined => {
  if (value === null || value === undefined || typeof value === 'boolean') return undefined
  if (value === tooMany || value === tooDeep || isEmpty(value)) return undefined
  for (const name of names) {
    const secret = secretName(name, extraNames)
    if (secret === null) continue
    const isKept = typeof value === 'string' ? mayStay(value, secret, name) : secret.what === 'signature'
    if (!isKept) return removedMark(secret.what)
  }
  return undefined
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0
