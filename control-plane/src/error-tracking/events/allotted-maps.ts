import type { ErrorEvent } from './error-event.ts'

/** Of one batch: some seconds of reading, about. Bytes are what maps take in memory once they are read. */
const mapsMax = 500
const bytesMax = 1024 * 1024 * 1024

type Wanted = { projectId: string; debugId: string }

/** The maps that events want, each once, in their order. Pure. */
export const wantedMaps = (events: readonly Pick<ErrorEvent, 'projectId' | 'minified'>[]): Wanted[] => {
  const wanted = new Map<string, Wanted>()
  for (const { projectId, minified } of events) {
    for (const debugId of minified?.debugIds ?? []) {
      if (debugId !== null) wanted.set(`${projectId} ${debugId}`, { projectId, debugId })
    }
  }
  return [...wanted.values()]
}

/**
 * The maps that a batch is given of those that there are: in the order in which they are wanted, until
 * its bound is reached; a null stands for one that is beyond. Pure.
 */
export const allottedMaps = (
  wanted: readonly Wanted[],
  found: readonly (Wanted & { id: string; bytes: number })[],
): (Wanted & { mapId: string | null })[] => {
  const known = new Map(found.map((map) => [`${map.projectId} ${map.debugId}`, map]))
  let maps = 0
  let bytes = 0
  return wanted.flatMap(({ projectId, debugId }) => {
    const map = known.get(`${projectId} ${debugId}`)
    if (map === undefined) return []
    maps += 1
    bytes += map.bytes
    const isBeyond = maps > mapsMax || bytes > bytesMax
    return [{ projectId, debugId, mapId: isBeyond ? null : map.id }]
  })
}
