import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { ErrorFrame } from '@probe-mesh/contracts/error-tracking/error-tracking'
import type { ErrorEvent } from '../events/error-event.ts'
import type { OriginalPlace } from '../events/source-maps/read-source-map.ts'
import type { Unresolved } from '../events/resolve-event.ts'
import { readSourceMap, sourceMapBounds } from '../events/source-maps/read-source-map.ts'
import { ownNameOf, resolveEvent } from '../events/resolve-event.ts'
import type { BatchSourceMap } from './error-batches-store.ts'
import { findPackedMap } from '../source-maps/error-source-maps-store.ts'
import type { PersistContext } from './context.ts'
import type { ReadMap } from './map-cache.ts'

type ResolveContext = Pick<PersistContext, 'sql' | 'maps' | 'metrics' | 'log' | 'retry'>

type Found = OriginalPlace | Unresolved | null

/**
 * Reads the frames of events by the source maps that were decided with their batch: the same events
 * and the same record give the same, also after a crash. A map that cannot be read is counted, and
 * leaves the frames as they came, marked.
 */
export const resolveEvents = async (
  context: ResolveContext,
  events: readonly ErrorEvent[],
  sourceMaps: readonly BatchSourceMap[],
): Promise<ErrorEvent[]> => {
  const found = events.map(({ minified }) =>
    (minified?.debugIds ?? []).map((debugId): Found => (debugId === null ? null : 'missing')),
  )
  const wanting = framesByMap(events)
  // one after the other, each read once: they need not all be in memory
  for (const { projectId, debugId, mapId } of sourceMaps) {
    const map = mapId === null ? 'bound' : await loadMap(context, mapId)
    for (const { event, frame } of wanting.get(`${projectId} ${debugId}`) ?? []) {
      const places = found[event]
      if (places !== undefined) places[frame] = placeOf(map, events[event]?.frames[frame])
    }
  }
  for (const each of found.flat()) {
    if (each === null) continue
    context.metrics.frames.inc({ outcome: typeof each === 'string' ? each : 'read' })
  }
  return events.map((event, index) => resolveEvent(event, found[index] ?? []))
}

type Wanting = { event: number; frame: number }

const framesByMap = (events: readonly ErrorEvent[]): Map<string, Wanting[]> => {
  const wanting = new Map<string, Wanting[]>()
  for (const [event, { projectId, minified }] of events.entries()) {
    for (const [frame, debugId] of (minified?.debugIds ?? []).entries()) {
      if (debugId === null) continue
      const key = `${projectId} ${debugId}`
      const known = wanting.get(key)
      if (known === undefined) wanting.set(key, [{ event, frame }])
      else known.push({ event, frame })
    }
  }
  return wanting
}

const placeOf = (
  map: ReadMap | 'bound' | 'missing',
  frame: ErrorFrame | undefined,
): OriginalPlace | Unresolved => {
  if (typeof map === 'string') return map
  if (frame === undefined || frame.line === null || frame.column === null) return 'unmapped'
  return map.find(frame.line, frame.column, ownNameOf(frame)) ?? 'unmapped'
}

const loadMap = async (
  { sql, maps, metrics, log, retry }: ResolveContext,
  mapId: string,
): Promise<ReadMap | 'missing'> => {
  const known = maps.find(mapId)
  if (known !== undefined) return known
  const packed = await retry('postgres', () => findPackedMap(sql, mapId))
  // its project was deleted meanwhile
  if (packed === null) return 'missing'
  const read = await readPacked(packed)
  if ('places' in read) {
    maps.keep(mapId, read.places, read.bytes)
    return read.places
  }
  metrics.brokenMaps.inc()
  log.warn({ mapId, problem: read.problem }, 'a source map cannot be read')
  maps.keep(mapId, 'broken', 0)
  return 'broken'
}

const unpack = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip)

const readPacked = async (packed: Uint8Array): Promise<ReturnType<typeof readSourceMap>> => {
  try {
    const maxOutputLength = sourceMapBounds.unpackedBytesMax
    return readSourceMap((await unpack(packed, { maxOutputLength })).toString('utf8'))
  } catch {
    return { problem: 'it cannot be decompressed' }
  }
}
