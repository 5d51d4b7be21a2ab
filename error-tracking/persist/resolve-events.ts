import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { ErrorFrame } from '../contracts/error-tracking.ts'
import type { ErrorEvent } from '../events/error-event.ts'
import { readSourceMap, sourceMapBounds, type OriginalPlace } from '../events/source-maps/read-source-map.ts'
import { ownNameOf, resolveEvent, type Unresolved } from '../events/resolve-event.ts'
import type { BatchSourceMap } from './error-batches-store.ts'
import { findPackedMap } from '../source-maps/error-source-maps-store.ts'
import type { PersistContext } from './context.ts'
import type { ReadMap } from './map-cache.ts'

type ResolveContext = Pick<PersistContext, 'sql' | 'maps' | 'metrics' | 'log' | 'retry'>

type Found = OriginalPlace | Unresolved | null

/**
 * Resolves the frames of events with the source maps that were recorded with their batch, so that a replay
 * after a crash has the same result. With an unreadable map the frames stay unchanged and are marked, and the
 * failure is counted.
 */
export const resolveEvents = async (
  context: ResolveContext,
  events: readonly ErrorEvent[],
  sourceMaps: readonly BatchSourceMap[],
): Promise<ErrorEvent[]> => {
  const found = events.map(({ minified }) =>
    (minified?.debugIds ?? []).map((debugId): Found => (debugId === null ? null : 'missing')),
  )
  const frames = framesByMap(events)
  // maps are read one by one, so that not all of them are in memory
  for (const { projectId, debugId, mapId } of sourceMaps) {
    const map = mapId === null ? 'bound' : await loadMap(context, mapId)
    for (const { event, frame } of frames.get(`${projectId} ${debugId}`) ?? []) {
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

/** The positions of an event in the batch and of a frame in the event. */
type FramePosition = { event: number; frame: number }

/** Minified frames by `<project id> <debug id>`. */
const framesByMap = (events: readonly ErrorEvent[]): Map<string, FramePosition[]> => {
  const frames = new Map<string, FramePosition[]>()
  for (const [event, { projectId, minified }] of events.entries()) {
    for (const [frame, debugId] of (minified?.debugIds ?? []).entries()) {
      if (debugId === null) continue
      const key = `${projectId} ${debugId}`
      const known = frames.get(key)
      if (known === undefined) frames.set(key, [{ event, frame }])
      else known.push({ event, frame })
    }
  }
  return frames
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
  // the project was deleted
  if (packed === null) return 'missing'
  const read = await readPacked(packed)
  if ('places' in read) {
    maps.store(mapId, read.places, read.bytes)
    return read.places
  }
  metrics.brokenMaps.inc()
  log.warn({ mapId, problem: read.problem }, 'a source map cannot be read')
  maps.store(mapId, 'broken', 0)
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
