import { removedMark } from '../../contracts/removed.ts'
import { cutRest } from '../raw/cut-text.ts'
import { isRecord } from '../raw/record.ts'
import { jsonIn } from './encoded.ts'
import { scrubText, type TextRules } from './scrub-text.ts'
import { mayStay, secretName } from './secret-name.ts'

/** Levels of JSON, including JSON in texts. */
export const depthMax = 100
/** Values of one event, without marks of cuts. */
export const nodesMax = 50_000

/** The most stored characters of a text. */
const textCharactersMax = 8_192
/**
 * A longer text is scrubbed this far beyond its limit and then truncated, because the end may contain the
 * start of a secret that is only recognised as a whole.
 */
const textTail = 2_048
/** The scrubber reads at most this part of a text. */
export const textWindowMax = textCharactersMax + textTail

export const tooDeep = '[cut: too deep]'
export const tooMany = '[cut: too many values]'

/** The rest of `nodesMax`, shared by all values of an event. */
export type NodesLeft = { nodes: number }

/** Any JSON without secrets in names and values, within limits (S-3008). */
export const scrubValue = (value: unknown, rules: TextRules, left: NodesLeft, depth = 0): unknown => {
  left.nodes--
  if (typeof value === 'string') return scrubString(value, rules, left, depth)
  if (typeof value === 'number') return scrubNumber(value)
  if (typeof value !== 'object' || value === null) return value ?? null
  if (depth >= depthMax) return tooDeep
  if (Array.isArray(value)) return scrubList(value as unknown[], rules, left, depth)
  return scrubRecord(value as Record<string, unknown>, rules, left, depth)
}

/** Scrubs a text, or the JSON in it. */
const scrubString = (text: string, rules: TextRules, left: NodesLeft, depth: number): string => {
  const sound = text.includes('\0') || !text.isWellFormed() ? text.replaceAll('\0', '').toWellFormed() : text
  const json = depth < depthMax ? jsonIn(sound) : undefined
  if (json === undefined) return scrubLong(sound, rules)
  const scrubbed = JSON.stringify(scrubValue(json, rules, left, depth + 1))
  // the first value of a duplicate key is only in the text
  return scrubText(scrubbed === JSON.stringify(json) ? sound : scrubbed, rules)
}

const scrubLong = (text: string, rules: TextRules): string => {
  if (text.length < textWindowMax) return scrubText(text, rules)
  const scrubbed = scrubText(text.slice(0, textWindowMax), rules)
  const kept = Math.min(scrubbed.length - textTail, textCharactersMax - cutRest.length)
  return `${scrubbed.slice(0, Math.max(0, kept))}${cutRest}`.toWellFormed()
}

/** Scrubs integers with the length of a card number, as far as a double is exact. */
const scrubNumber = (value: number): unknown => {
  if (!Number.isSafeInteger(value) || value < 1e12) return value
  const text = String(value)
  const scrubbed = scrubText(text, numberRules)
  return scrubbed === text ? value : scrubbed
}
const numberRules: TextRules = { extraNames: new Set(), keepAddresses: true }

const scrubList = (list: readonly unknown[], rules: TextRules, left: NodesLeft, depth: number): unknown[] => {
  const out: unknown[] = []
  /** The previous entry, if it is an option such as `--password`, which names the value in this entry. */
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

/** A `[name, value]` pair without its secret value; undefined for other entries and harmless values. */
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
    // a key can contain JSON, if a body was parsed as a form
    const shown = scrubString(key, rules, left, depth + 1)
    const names = key === 'value' ? [...named, key] : [key, shown]
    const removed = removedBy(names, value, rules)
    if (removed !== undefined) left.nodes--
    const kept = removed ?? (value === tooMany ? value : scrubValue(value, rules, left, depth + 1))
    out.set(freeKey(out, shown), kept)
  }
  // `fromEntries` treats `__proto__` like any other key
  return Object.fromEntries(out)
}

/** The names in `{name, value}` (headers, cookies, form fields), raw and scrubbed. */
const namesOfValue = (record: Readonly<Record<string, unknown>>, rules: TextRules): string[] => {
  if (!Object.hasOwn(record, 'value')) return []
  return ['name', 'key', 'field', 'header', 'id'].flatMap((key) => {
    const name = Object.hasOwn(record, key) ? record[key] : undefined
    return typeof name === 'string' ? [name, scrubText(name, rules)] : []
  })
}

/** A unique key, because scrubbed keys can collide. */
const freeKey = (taken: ReadonlyMap<string, unknown>, key: string): string => {
  if (!taken.has(key)) return key
  for (let number = 2; ; number++) if (!taken.has(`${key} (${number})`)) return `${key} (${number})`
}

/** The mark for a value with a secret name; undefined if the value may stay. */
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
