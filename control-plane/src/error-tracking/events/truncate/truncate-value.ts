import { isNestedDeeper } from '@probe-mesh/runtime/json-nesting'
import { cutDeeper, cutRest } from '../raw/cut-text.ts'
import { isRecord } from '../raw/record.ts'
import { textWindowMax } from '../scrub/scrub-value.ts'
import { cutNesting } from './cut-nesting.ts'

/** Lists and objects within one another, JSON in texts included; as much as is kept of a context. */
export const depthMax = 16
/** Entries of one list or object; as many as are kept of a context. */
export const entriesMax = 500

/** What may still be looked at: characters of texts and names, and values of any kind. */
export type Room = { characters: number; values: number; isCut: boolean }

/** Names whose neighbour `value` is secret or not by what they say: they stay with it, whatever room there is. */
const naming: ReadonlySet<string> = new Set(['name', 'key', 'field', 'header', 'id'])

/**
 * Any JSON within bounds, before anything looks for secrets in it; what was cut is marked where it was. It takes
 * from `room` what it keeps. A text that is too long ends where the scrubber's window ends. Pure but for `room`.
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

/** A text within the scrubber's window and the room; JSON in it is cut as JSON, so that it still is some. */
export const truncateText = (text: string, room: Room, depth = 0): string => {
  const mayHoldJson = /^\s{0,100}[[{"]/.test(text)
  const kept =
    mayHoldJson && (text.length >= textWindowMax || isDeeper(text, depthMax - depth))
      ? (truncateJson(text, room, depth) ?? windowOf(text, room))
      : windowOf(text, room)
  if (kept.length > room.characters) {
    room.characters = 0
    return cut(room, cutRest)
  }
  room.characters -= kept.length
  return kept
}

const windowOf = (text: string, room: Room): string =>
  text.length < textWindowMax ? text : cut(room, text.slice(0, textWindowMax))

const cut = <Mark extends string>(room: Room, mark: Mark): Mark => {
  room.isCut = true
  return mark
}

const isDeeper = (text: string, levels: number): boolean =>
  isNestedDeeper(Buffer.from(text), Math.max(0, levels))

/** Undefined for what is no JSON. Of its own texts each is whole or gone: of a part nobody could say where it ends. */
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
  // escapes may make it longer than the window
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
  const isNamed = Object.hasOwn(record, 'value')
  let rest = false
  for (const [key, value] of Object.entries(record)) {
    if (isNamed && typeof value === 'string' && naming.has(key)) {
      const text = windowOf(value, room)
      room.characters -= text.length
      out.set(key, text)
    } else if (out.size >= entriesMax || room.values <= 0 || room.characters <= 0) rest = true
    // a name that is as long as a text is cut as one
    else out.set(truncateText(key, room, depth), truncateValue(value, room, depth + 1))
  }
  if (rest) out.set('…', cut(room, cutRest))
  // `fromEntries` makes a key `__proto__` a key like any other
  return Object.fromEntries(out)
}
