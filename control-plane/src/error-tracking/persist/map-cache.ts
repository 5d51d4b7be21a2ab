import type { OriginalPlaces } from '../events/source-maps/read-source-map.ts'

/** About, for maps that were read: as long as they are needed again and again. */
const bytesMax = 192 * 1024 * 1024
const mapsMax = 500

export type ReadMap = OriginalPlaces | 'broken'

export type MapCache = {
  /** By the id of a map, whose text never changes. */
  find(id: string): ReadMap | undefined
  keep(id: string, map: ReadMap, bytes: number): void
}

/** Source maps that were read, the one least lately used forgotten first; the newest always stays. */
export const createMapCache = (): MapCache => {
  const maps = new Map<string, { map: ReadMap; bytes: number }>()
  let total = 0
  const forget = (id: string): void => {
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
    keep: (id, map, bytes) => {
      forget(id)
      maps.set(id, { map, bytes })
      total += bytes
      for (const [eldest] of maps) {
        if (maps.size === 1 || (total <= bytesMax && maps.size <= mapsMax)) return
        forget(eldest)
      }
    },
  }
}
