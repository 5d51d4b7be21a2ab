import type { OriginalPlaces } from '../events/source-maps/read-source-map.ts'

/** The approximate memory limit for parsed maps. */
const bytesMax = 192 * 1024 * 1024
const mapsMax = 500

export type ReadMap = OriginalPlaces | 'broken'

export type MapCache = {
  /** @param id of a map, whose text never changes */
  find(id: string): ReadMap | undefined
  store(id: string, map: ReadMap, bytes: number): void
}

/** An LRU cache of parsed source maps. The newest one always stays, even above the limit. */
export const createMapCache = (): MapCache => {
  const maps = new Map<string, { map: ReadMap; bytes: number }>()
  let total = 0
  const remove = (id: string): void => {
    total -= maps.get(id)?.bytes ?? 0
    maps.delete(id)
  }
  return {
    find: (id) => {
      const known = maps.get(id)
      if (known === undefined) return undefined
      maps.delete(id)
      maps.set(id, known)
      return known.map
    },
    store: (id, map, bytes) => {
      remove(id)
      maps.set(id, { map, bytes })
      total += bytes
      for (const [oldest] of maps) {
        if (maps.size === 1 || (total <= bytesMax && maps.size <= mapsMax)) return
        remove(oldest)
      }
    },
  }
}
