import { closeSync, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { BusUnavailable } from '../port.ts'
import type { Marks } from './marks.ts'
import { frameHeaderBytes, writeFrame, lastOf, segmentPath, sizeOf, type Segment } from './segment.ts'

/** What a log lost since it was opened; frames unless the name says bytes. */
export type LogLosses = {
  /** dropped to stay within `bytesMax` or because the disk was full */
  full: number
  /** dropped for their age */
  old: number
  /** unreadable in the middle of the log */
  damaged: number
  /** cut from the end at open: an unfinished write of a killed process */
  cutBytes: number
}

export type LogState = {
  readonly directory: string
  readonly bytesMax: number
  readonly segmentBytesMax: number
  readonly whenFull: 'refuse' | 'drop-oldest'
  readonly now: () => number
  /** Oldest first, never empty: the last one is written to. */
  readonly segments: [Segment, ...Segment[]]
  /** Mark 0: the last released sequence. */
  readonly released: Marks
  readonly losses: LogLosses
  /** The file of the last segment. */
  fd: number
  /** Bytes of the frames on disk, released ones in kept segments included. */
  bytes: number
  scratch: Buffer
  closed: boolean
}

export const activeOf = (state: LogState): Segment => state.segments.at(-1) ?? state.segments[0]

/** Closes the active file and begins a segment at the next sequence. */
export const roll = (state: LogState): void => {
  const base = Math.max(lastOf(activeOf(state)), state.released.get(0)) + 1
  const path = segmentPath(state.directory, base)
  const fd = openSync(path, 'w')
  closeSync(state.fd)
  state.fd = fd
  state.segments.push({ base, path, ends: [], newestAt: 0 })
}

/** Drops the oldest segment. Frames that were not released are counted as lost for `cause`. */
export const dropOldest = (state: LogState, cause: 'full' | 'old'): void => {
  if (state.segments.length === 1) roll(state)
  const oldest = state.segments[0]
  const kept = Math.max(state.released.get(0), oldest.base - 1)
  const lost = Math.max(0, lastOf(oldest) - kept)
  if (lost > 0) {
    state.losses[cause] += lost
    state.released.set(0, lastOf(oldest))
  }
  removeOldest(state)
}

/** Removes the files of segments whose every frame is released. */
export const removeReleased = (state: LogState): void => {
  while (state.segments.length > 1 && lastOf(state.segments[0]) <= state.released.get(0)) {
    removeOldest(state)
  }
}

const removeOldest = (state: LogState): void => {
  const oldest = state.segments[0]
  state.segments.shift()
  state.bytes -= sizeOf(oldest)
  try {
    unlinkSync(oldest.path)
  } catch {
    // It stays on disk until the next open, where the released mark covers its frames.
  }
}

/**
 * Appends one frame; see `Log.append`.
 * @throws BusUnavailable when the log is full and refuses, or writing to the disk fails
 */
export const appendFrame = (state: LogState, payload: Uint8Array): number => {
  const frameBytes = frameHeaderBytes + payload.length
  if (frameBytes > state.segmentBytesMax) {
    throw new RangeError(`a frame of ${frameBytes} bytes is larger than a segment`)
  }
  if (state.closed) throw new BusUnavailable('the log is closed')
  const storedAt = state.now()
  if (state.scratch.length < frameBytes) state.scratch = Buffer.allocUnsafe(frameBytes * 2)
  const length = writeFrame(state.scratch, payload, storedAt)
  for (;;) {
    try {
      makeRoom(state, length)
      return write(state, length, storedAt)
    } catch (error) {
      if (error instanceof BusUnavailable) throw error
      // The disk is full: newer readings are worth more than older ones.
      if (state.whenFull === 'refuse' || state.segments.length === 1) {
        throw new BusUnavailable('the frame could not be written to disk', { cause: error })
      }
      dropOldest(state, 'full')
    }
  }
}

const makeRoom = (state: LogState, frameBytes: number): void => {
  while (state.bytes + frameBytes > state.bytesMax) {
    const released = lastOf(state.segments[0]) <= state.released.get(0)
    if (state.whenFull === 'refuse' && !released) throw new BusUnavailable('the log is full')
    dropOldest(state, 'full')
  }
  const size = sizeOf(activeOf(state))
  if (size > 0 && size + frameBytes > state.segmentBytesMax) roll(state)
}

const write = (state: LogState, length: number, storedAt: number): number => {
  const segment = activeOf(state)
  const start = sizeOf(segment)
  try {
    let written = 0
    while (written < length) {
      written += writeSync(state.fd, state.scratch, written, length - written, start + written)
    }
  } catch (error) {
    cutBack(state.fd, start)
    throw error
  }
  segment.ends.push(start + length)
  segment.newestAt = Math.max(segment.newestAt, storedAt)
  state.bytes += length
  return lastOf(segment)
}

const cutBack = (fd: number, bytes: number): void => {
  try {
    ftruncateSync(fd, bytes)
  } catch {
    // The next append overwrites the torn frame, or the next open cuts it.
  }
}
