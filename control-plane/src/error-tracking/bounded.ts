import { cutText } from './cut-text.ts'
import { isRecord } from './record.ts'

/** How much of a value is kept: the first of its entries, the first characters of its texts. */
export type Bounds = { characters: number; entries: number; depth: number }

export const cutRest = '[cut: the rest]'
export const cutDeeper = '[cut: what is deeper]'

const keyCharactersMax = 200

/** Any JSON within bounds; what was cut is marked where it was. Pure. */
export const bounded = (value: unknown, bounds: Bounds): unknown => {
  const { characters, entries, depth } = bounds
  if (typeof value === 'string') return cutText(value, characters)
  if (typeof value !== 'object' || value === null) return value ?? null
  if (depth === 0) return cutDeeper
  const deeper = { ...bounds, depth: depth - 1 }
  if (Array.isArray(value)) {
    const list = value as unknown[]
    const kept = list.slice(0, entries).map((entry) => bounded(entry, deeper))
    return list.length > entries ? [...kept, cutRest] : kept
  }
  if (!isRecord(value)) return null
  const all = Object.entries(value)
  const kept = all
    .slice(0, entries)
    .map(([key, entry]): [string, unknown] => [
      cutText(key, keyCharactersMax),
      bounded(entry, deeper),
    ])
  return Object.fromEntries(all.length > entries ? [...kept, ['…', cutRest]] : kept)
}
