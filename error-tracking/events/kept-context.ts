import { cutRest, cutDeeper, cutText } from './raw/cut-text.ts'
import type { RawEvent } from './raw/raw-event.ts'
import { stackOf } from './raw/stack.ts'
import { breadcrumbsMax } from './truncate/truncate-event.ts'
import { isRecord } from './raw/record.ts'

/** Limits of a value: characters of a text, entries of a list or object, and depth. */
type Bounds = { characters: number; entries: number; depth: number }

/** The remaining characters; negative when they are exceeded, and the rest is skipped. */
type Room = {
  characters: number
  /** True after a cut. */
  isCut?: boolean
}

const keyCharactersMax = 200

/** Any JSON within limits, with a mark for each cut. Subtracts the kept characters from `room`. */
const bounded = (value: unknown, bounds: Bounds, room: Room): unknown => {
  const { characters, entries, depth } = bounds
  room.characters--
  if (room.characters < 0) return cut(room, cutRest)
  if (typeof value === 'string') {
    const text = cutText(value, characters)
    if (text.length < value.length) room.isCut = true
    room.characters -= text.length
    return text
  }
  if (typeof value !== 'object' || value === null) return value ?? null
  if (depth === 0) return cut(room, cutDeeper)
  const deeper = { ...bounds, depth: depth - 1 }
  if (Array.isArray(value)) {
    const list = value as unknown[]
    const kept = list.slice(0, entries).map((entry) => bounded(entry, deeper, room))
    return list.length > entries ? [...kept, cut(room, cutRest)] : kept
  }
  if (!isRecord(value)) return null
  const all = Object.entries(value)
  const kept = all.slice(0, entries).map(([key, entry]): [string, unknown] => {
    const name = cutText(key, keyCharactersMax)
    room.characters -= name.length
    return [name, bounded(entry, deeper, room)]
  })
  return Object.fromEntries(all.length > entries ? [...kept, ['…', cut(room, cutRest)]] : kept)
}

const cut = (room: Room, mark: string): string => {
  room.isCut = true
  return mark
}

/** The size limit of `ErrorEvent.context`, as JSON in UTF-8. */
export const contextBytesMax = 64 * 1024

/** The priority of the parts if not everything fits. */
const order = [
  'unreadable',
  'handled',
  'logger',
  'serverName',
  'dist',
  'sdk',
  'causes',
  'user',
  'request',
  'contexts',
  'breadcrumbs',
  'extra',
  'variables',
  'source',
]

/** From large to small limits. A part uses the first ones that fit. */
const steps: readonly Bounds[] = [
  { characters: 8_192, entries: 500, depth: 16 },
  { characters: 1_024, entries: 100, depth: 8 },
  { characters: 200, entries: 30, depth: 5 },
  { characters: 80, entries: 10, depth: 3 },
]

/**
 * The stored context of an event: everything except stack and tags, such as causes, and variables and source
 * of the frames. Later parts are cut more if not everything fits. `truncated` names all parts of the event
 * with a cut.
 */
export const keptContext = (raw: RawEvent): Record<string, unknown> => {
  const parts: Record<string, unknown> = { ...raw.context, ...partsOf(raw) }
  const kept: [string, unknown][] = []
  const truncated = new Set(raw.truncated)
  let left = contextBytesMax - truncatedBytesMax - 2
  for (const [index, name] of order.entries()) {
    if (!Object.hasOwn(parts, name)) continue
    // leaves room for the marks of later parts
    const room = left - (order.length - index - 1) * markBytesMax
    const bytes = room - Buffer.byteLength(name) - 4
    const part = fitting(parts[name], bytes, () => truncated.add(name))
    kept.push([name, part])
    left -= Buffer.byteLength(name) + 4 + sizeOf(part)
  }
  return Object.fromEntries(truncated.size === 0 ? kept : [['truncated', [...truncated]], ...kept])
}

/** The size limit of `truncated`. */
const truncatedBytesMax = 512

/** The size of a mark with the longest part name. */
const markBytesMax = 40

const partsOf = (raw: RawEvent): Record<string, unknown> => {
  const stack = stackOf(raw)
  const variables = stack.flatMap(({ function: of, variables }, frame) =>
    variables === null ? [] : [{ frame, function: of, variables }],
  )
  const source = stack.flatMap(({ source, around }, frame) =>
    source === null ? [] : [{ frame, source, ...around }],
  )
  // the last exception is the event itself
  const causes = raw.exceptions.slice(0, -1).map(({ type, value }) => ({ type, value }))
  const handled = raw.exceptions.at(-1)?.handled
  const crumbs = raw.context['breadcrumbs']
  return {
    ...(Array.isArray(crumbs) ? { breadcrumbs: newest(crumbs as unknown[]) } : {}),
    ...(raw.unreadable.length > 0 ? { unreadable: raw.unreadable } : {}),
    ...(handled === undefined ? {} : { handled }),
    ...(causes.length > 0 ? { causes: causes.toReversed() } : {}),
    ...(variables.length > 0 ? { variables } : {}),
    ...(source.length > 0 ? { source } : {}),
  }
}

const newest = (crumbs: readonly unknown[]): readonly unknown[] =>
  crumbs.length > breadcrumbsMax ? [{ message: cutRest }, ...crumbs.slice(-breadcrumbsMax)] : crumbs

const fitting = (part: unknown, bytes: number, onCut: () => void): unknown => {
  for (const step of steps) {
    const room: Room = { characters: bytes }
    const cut = bounded(part, step, room)
    if (room.characters < 0 || sizeOf(cut) > bytes) continue
    if (room.isCut === true) onCut()
    return cut
  }
  onCut()
  return cutRest
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
