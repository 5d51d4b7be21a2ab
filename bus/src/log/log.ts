import { closeSync, mkdirSync, openSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import {
  activeOf,
  appendFrame,
  dropOldest,
  removeReleased,
  roll,
  type LogLosses,
  type LogState,
} from './append.ts'
import { openMarks } from './marks.ts'
import {
  lastOf,
  payloadBytesAfter,
  readSegment,
  scanSegment,
  segmentBases,
  segmentPath,
  sizeOf,
  type LogEntry,
  type Segment,
} from './segment.ts'

/**
 * A durable append-only log, used for each partition of a stream and for the agent's spool. An entry is in
 * the page cache when `append` returns, so it survives kill -9 of the process. It is not synced: a power
 * failure may lose the last seconds.
 */
export type Log = {
  /**
   * Appends one entry before it returns. Sequences count from 1, also across restarts.
   * @throws BusUnavailable when the log is full and refuses, or writing to the disk fails
   * @throws RangeError when the entry is larger than a segment
   */
  append(bytes: Uint8Array): number
  /**
   * Entries from a sequence on, in order; at least one if any exists. Released entries are gone; after a
   * damaged one the read continues with the next segment, and the loss is counted.
   */
  read(fromSequence: number, bounds: { countMax: number; bytesMax: number }): LogEntry[]
  /** Releases everything up to a sequence. After a crash some of it may be back. */
  release(throughSequence: number): void
  /**
   * Drops the oldest segments while even their newest entry was stored before `storedBefore`.
   * @throws Error when the new segment that must follow the last one cannot be written
   */
  dropOlderThan(storedBefore: number): void
  /** The oldest sequence not released; `last + 1` when there is none. */
  readonly first: number
  readonly last: number
  /** Entries not released. */
  readonly count: number
  /** Bytes on disk. */
  readonly bytes: number
  /** Payload bytes after a sequence. */
  bytesAfter(sequence: number): number
  losses(): LogLosses
  close(): void
}

export type LogOptions = {
  directory: string
  /** On disk; at least twice `segmentBytesMax`. */
  bytesMax: number
  segmentBytesMax: number
  /** What happens at `bytesMax`: refuse the new entry, or drop the oldest segment. */
  whenFull: 'refuse' | 'drop-oldest'
  now: () => number
}

/** Opens a log, and cuts an unfinished write of a killed process from its end. */
export const openLog = (options: LogOptions): Log => {
  if (options.segmentBytesMax * 2 > options.bytesMax) {
    throw new RangeError('bytesMax must hold at least two segments')
  }
  const state = openState(options)
  return {
    append: (bytes) => appendFrame(state, bytes),
    read: (fromSequence, bounds) => readEntries(state, fromSequence, bounds),
    release: (throughSequence) => {
      const through = Math.min(throughSequence, lastOf(activeOf(state)))
      if (through <= state.released.get(0)) return
      state.released.set(0, through)
      removeReleased(state)
    },
    dropOlderThan: (storedBefore) => {
      if (state.closed) return
      const droppable = () => state.segments.length > 1 || sizeOf(state.segments[0]) > 0
      while (droppable() && state.segments[0].newestAt < storedBefore) dropOldest(state, 'old')
    },
    get first() {
      return firstOf(state)
    },
    get last() {
      return lastOf(activeOf(state))
    },
    get count() {
      const released = state.released.get(0)
      const kept = (segment: Segment) => lastOf(segment) - Math.max(released, segment.base - 1)
      return state.segments.reduce((sum, segment) => sum + Math.max(0, kept(segment)), 0)
    },
    get bytes() {
      return state.bytes
    },
    bytesAfter: (sequence) =>
      state.segments.reduce((sum, segment) => sum + payloadBytesAfter(segment, sequence), 0),
    losses: () => ({ ...state.losses }),
    close: () => {
      if (state.closed) return
      state.closed = true
      closeSync(state.fd)
      state.released.close()
    },
  }
}

const openState = (options: LogOptions): LogState => {
  mkdirSync(options.directory, { recursive: true })
  const released = openMarks(join(options.directory, 'released'), 1)
  const losses: LogLosses = { full: 0, old: 0, damaged: 0, cutBytes: 0 }
  const segments = openSegments(options.directory, released.get(0), losses)
  const active = segments.at(-1) ?? segments[0]
  const state: LogState = {
    ...options,
    segments,
    released,
    losses,
    fd: openSync(active.path, 'r+'),
    bytes: segments.reduce((sum, segment) => sum + sizeOf(segment), 0),
    scratch: Buffer.allocUnsafe(4_096),
    closed: false,
  }
  // a released sequence is never used again, even if the end was cut below it
  if (lastOf(active) < released.get(0)) roll(state)
  removeReleased(state)
  return state
}

const openSegments = (directory: string, released: number, losses: LogLosses): [Segment, ...Segment[]] => {
  const bases = segmentBases(directory)
  const scanned = bases.map((base, index) => {
    const { segment, fileBytes } = scanSegment(directory, base)
    const nextBase = bases[index + 1]
    if (nextBase === undefined) {
      losses.cutBytes += fileBytes - sizeOf(segment)
      if (fileBytes > sizeOf(segment)) truncateSync(segment.path, sizeOf(segment))
    } else {
      losses.damaged += Math.max(0, nextBase - 1 - Math.max(lastOf(segment), released))
    }
    return segment
  })
  const [oldest, ...newer] = scanned
  return oldest === undefined ? [createSegment(directory, released + 1)] : [oldest, ...newer]
}

const createSegment = (directory: string, base: number): Segment => {
  const path = segmentPath(directory, base)
  closeSync(openSync(path, 'w'))
  return { base, path, ends: [], newestAt: 0 }
}

const firstOf = (state: LogState): number => {
  const wanted = state.released.get(0) + 1
  const segment = state.segments.find((candidate) => lastOf(candidate) >= wanted)
  return segment === undefined ? lastOf(activeOf(state)) + 1 : Math.max(wanted, segment.base)
}

const readEntries = (
  state: LogState,
  fromSequence: number,
  bounds: { countMax: number; bytesMax: number },
): LogEntry[] => {
  if (state.closed) return []
  const entries: LogEntry[] = []
  let countLeft = bounds.countMax
  let bytesLeft = bounds.bytesMax
  const from = Math.max(fromSequence, state.released.get(0) + 1)
  for (const segment of state.segments) {
    if (lastOf(segment) < from) continue
    if (countLeft <= 0 || (entries.length > 0 && bytesLeft <= 0)) break
    const start = Math.max(from, segment.base)
    const part = readSegment(segment, start, { countMax: countLeft, bytesMax: bytesLeft })
    if (part.damaged) forgetFrom(state, segment, start + part.entries.length)
    const bytes = part.entries.reduce((sum, entry) => sum + entry.bytes.length, 0)
    if (entries.length > 0 && bytes > bytesLeft) break
    entries.push(...part.entries)
    countLeft -= part.entries.length
    bytesLeft -= bytes
    if (!part.damaged && start + part.entries.length <= lastOf(segment)) break
  }
  return entries
}

/** Counts unreadable entries once and skips them from then on. */
const forgetFrom = (state: LogState, segment: Segment, sequence: number): void => {
  const lost = lastOf(segment) - sequence + 1
  if (segment === activeOf(state)) roll(state)
  state.losses.damaged += lost
  state.bytes -= sizeOf(segment)
  segment.ends.length -= lost
  state.bytes += sizeOf(segment)
}
