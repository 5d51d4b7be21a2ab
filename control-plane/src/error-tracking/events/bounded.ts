import { isRecord } from './record.ts'

/** A text of so many UTF-16 units at most, an ellipsis for what was cut, and no half of a pair. Pure. */
export const cutText = (text: string, unitsMax: number): string =>
  text.length <= unitsMax ? text : `${whole(text.slice(0, unitsMax - 1))}…`

/** Without the first half of a surrogate pair at its end. */
const whole = (text: string): string => (/[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text)

/** How much of a value is kept: the first of its entries, the first characters of its texts. */
export type Bounds = { characters: number; entries: number; depth: number }

/** Characters that may still be kept; below nothing once there were more, and the rest is not looked at. */
export type Room = {
  characters: number
  /** Set where something was cut. */
  isCut?: boolean
}

export const cutRest = '[cut: the rest]'
export const cutDeeper = '[cut: what is deeper]'

const keyCharactersMax = 200

/** Any JSON within bounds; what was cut is marked where it was. It takes from `room` what it keeps. */
export const bounded = (value: unknown, bounds: Bounds, room: Room): unknown => {
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
