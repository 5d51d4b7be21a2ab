import type { ErrorEvent } from './error-event.ts'

/** Limits of one batch, which keep reading below some seconds. Bytes are the memory of parsed maps. */
const mapsMax = 500
const bytesMax = 1024 * 1024 * 1024

type Wanted = { projectId: string; debugId: string }

/** The distinct maps that events need, in order of need. */
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
 * The existing maps among the wanted ones, in order. `mapId` is null beyond the limits of a batch.
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
