import { isNestedDeeper } from '@probe-mesh/runtime/json-nesting'
import { cutDeeper, cutRest } from '../raw/cut-text.ts'
import { isRecord } from '../raw/record.ts'
import { textWindowMax } from '../scrub/scrub-value.ts'
import { cutNesting } from './cut-nesting.ts'

/** Levels of lists and objects, including JSON in texts. The same as in a stored context. */
const depthMax = 16
/** Entries of one list or object. The same as in a stored context. */
const entriesMax = 500

/** The remaining characters of texts and keys, and the remaining values. */
export type Room = { characters: number; values: number; isCut: boolean }

/**
 * Keys that name the secret in a neighbouring `value`, as in `{name, value}`. They are never separated from
 * it.
 */
const nameKeys: ReadonlySet<string> = new Set(['name', 'key', 'field', 'header', 'id'])

/**
 * Truncates any JSON before the scrubbing, with a mark for each cut. Subtracts the kept data from `room`. A
 * long text ends at the end of the scrubber's window. Pure except for `room`.
 */
export const truncateValue = (value: unknown, room: Room, depth = 0): unknown => {
  if (room.values <= 0 || room.characters <= 0) return cut(room, cutRest)
  room.values--
  if (typeof value === 'string') return truncateText(value, room, depth)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= depthMax) return cut(room, cutDeeper)
  if (Array.isArray(value)) return truncateList(value as unknown[], room, depth)
  return isRecord(value) ? truncateRecord(value, room, depth) : null
}

/** Truncates a text to the scrubber's window and to the room. JSON text stays valid JSON. */
export const truncateText = (text: string, room: Room, depth = 0): string => {
  // without room a long text is not parsed
  if (room.characters <= 0 && text !== '') return cutWhole(room)
  const mayHoldJson = /^\s{0,100}[[{"]/.test(text)
  const kept =
    mayHoldJson && (text.length >= textWindowMax || isDeeper(text, depthMax - depth))
      ? (truncateJson(text, room, depth) ?? windowOf(text, room))
      : windowOf(text, room)
  if (kept.length > room.characters) return cutWhole(room)
  room.characters -= kept.length
  return kept
}

const cutWhole = (room: Room): string => {
  room.characters = 0
  return cut(room, cutRest)
}

const windowOf = (text: string, room: Room): string =>
  text.length < textWindowMax ? text : cut(room, text.slice(0, textWindowMax))

const cut = <Mark extends string>(room: Room, mark: Mark): Mark => {
  room.isCut = true
  return mark
}

const isDeeper = (text: string, levels: number): boolean =>
  isNestedDeeper(Buffer.from(text), Math.max(0, levels))

/**
 * undefined for invalid JSON. Its texts are kept whole or cut whole, because a partial secret cannot be
 * recognised.
 */
const truncateJson = (text: string, room: Room, depth: number): string | undefined => {
  let json: unknown
  try {
    json = JSON.parse(cutNested(text, Math.max(0, depthMax - depth)))
  } catch {
    return undefined
  }
  if (typeof json !== 'object' && typeof json !== 'string') return undefined
  const own: Room = {
    characters: Math.min(room.characters, textWindowMax / 2),
    values: room.values,
    isCut: false,
  }
  const kept = JSON.stringify(truncateValue(json, own, depth + 1))
  room.values = own.values
  room.isCut = true
  // escapes can make it longer than the window
  return kept.length < textWindowMax ? kept : JSON.stringify(cutRest)
}

const cutNested = (text: string, levels: number): string =>
  new TextDecoder().decode(cutNesting(Buffer.from(text), levels))

const truncateList = (list: readonly unknown[], room: Room, depth: number): unknown[] => {
  const out: unknown[] = []
  for (const entry of list) {
    if (out.length >= entriesMax || room.values <= 0 || room.characters <= 0) {
      out.push(cut(room, cutRest))
      break
    }
    out.push(truncateValue(entry, room, depth + 1))
  }
  return out
}

const truncateRecord = (
  record: Readonly<Record<string, unknown>>,
  room: Room,
  depth: number,
): Record<string, unknown> => {
  const out = new Map<string, unknown>()
  const hasValue = Object.hasOwn(record, 'value')
  let rest = false
  for (const [key, value] of Object.entries(record)) {
    if (hasValue && typeof value === 'string' && nameKeys.has(key)) {
      const text = windowOf(value, room)
      room.characters -= text.length
      out.set(key, text)
    } else if (out.size >= entriesMax || room.values <= 0 || room.characters <= 0) rest = true
    // keys can be as long as texts
    else out.set(truncateText(key, room, depth), truncateValue(value, room, depth + 1))
  }
  if (rest) out.set('…', cut(room, cutRest))
  // `fromEntries` treats `__proto__` like any other key
  return Object.fromEntries(out)
}
