import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

/**
 * One frame of a segment file, little-endian: CRC-32 of the rest (4 bytes), payload length (4), time of
 * storage in Unix ms (a double, 8), payload. Zeroes are not a valid frame.
 */
export const frameHeaderBytes = 16

const crcBytes = 4

/** Writes a frame to the start of `target` and returns its total length in bytes. */
export const writeFrame = (target: Buffer, payload: Uint8Array, storedAt: number): number => {
  const end = frameHeaderBytes + payload.length
  target.writeUInt32LE(payload.length, 4)
  target.writeDoubleLE(storedAt, 8)
  target.set(payload, frameHeaderBytes)
  target.writeUInt32LE(crc32(target.subarray(crcBytes, end)), 0)
  return end
}

/** The frame at `offset`, its payload a view of `source`; null when it is torn or damaged. */
const readFrame = (
  source: Buffer,
  offset: number,
): { payload: Uint8Array; storedAt: number; end: number } | null => {
  const payloadStart = offset + frameHeaderBytes
  if (payloadStart > source.length) return null
  const end = payloadStart + source.readUInt32LE(offset + 4)
  if (end > source.length) return null
  if (crc32(source.subarray(offset + crcBytes, end)) !== source.readUInt32LE(offset)) return null
  return {
    payload: source.subarray(payloadStart, end),
    storedAt: source.readDoubleLE(offset + 8),
    end,
  }
}

/** A file of consecutive frames, named by the sequence of its first one. */
export type Segment = {
  readonly base: number
  readonly path: string
  /** The end of each frame in the file. */
  readonly ends: number[]
  /** When its newest frame was stored, Unix ms; 0 while empty. */
  newestAt: number
}

/** One entry of a log; the reader owns the bytes. */
export type LogEntry = {
  readonly sequence: number
  readonly bytes: Uint8Array
  readonly storedAt: number
}

export const segmentPath = (directory: string, base: number): string =>
  join(directory, `${String(base).padStart(16, '0')}.log`)

/** The bases of the segments in a directory, oldest first. */
export const segmentBases = (directory: string): number[] =>
  readdirSync(directory)
    .filter((name) => /^\d{16}\.log$/.test(name))
    .map((name) => Number(name.slice(0, 16)))
    .toSorted((a, b) => a - b)

/** The sequence of a segment's last frame; `base - 1` while empty. */
export const lastOf = (segment: Segment): number => segment.base + segment.ends.length - 1

/** Bytes of all its frames. */
export const sizeOf = (segment: Segment): number => segment.ends.at(-1) ?? 0

const startOf = (segment: Segment, index: number): number => segment.ends[index - 1] ?? 0

/** Payload bytes of its frames after `sequence`. */
export const payloadBytesAfter = (segment: Segment, sequence: number): number => {
  const index = Math.min(Math.max(0, sequence - segment.base + 1), segment.ends.length)
  const frames = segment.ends.length - index
  return sizeOf(segment) - startOf(segment, index) - frames * frameHeaderBytes
}

/** Reads a segment up to its first damaged frame. `fileBytes` beyond the segment's size are not frames. */
export const scanSegment = (directory: string, base: number): { segment: Segment; fileBytes: number } => {
  const path = segmentPath(directory, base)
  const source = readFileSync(path)
  const segment: Segment = { base, path, ends: [], newestAt: 0 }
  for (let frame = readFrame(source, 0); frame !== null; frame = readFrame(source, frame.end)) {
    segment.ends.push(frame.end)
    segment.newestAt = Math.max(segment.newestAt, frame.storedAt)
  }
  return { segment, fileBytes: source.length }
}

/**
 * The frames from `from` on, at most `countMax` and `bytesMax` of payload, but at least one. `damaged` when a
 * frame is no longer valid as it was at the scan: the rest is not read.
 */
export const readSegment = (
  segment: Segment,
  from: number,
  bounds: { countMax: number; bytesMax: number },
): { entries: LogEntry[]; damaged: boolean } => {
  const first = from - segment.base
  let end = first
  let payload = 0
  while (end < segment.ends.length && end - first < bounds.countMax) {
    const bytes = startOf(segment, end + 1) - startOf(segment, end) - frameHeaderBytes
    if (end > first && payload + bytes > bounds.bytesMax) break
    payload += bytes
    end++
  }
  const source = readRange(segment.path, startOf(segment, first), startOf(segment, end))
  const entries: LogEntry[] = []
  let offset = 0
  for (let index = first; index < end; index++) {
    const frame = readFrame(source, offset)
    if (frame === null) return { entries, damaged: true }
    entries.push({
      sequence: segment.base + index,
      bytes: frame.payload,
      storedAt: frame.storedAt,
    })
    offset = frame.end
  }
  return { entries, damaged: false }
}

/** The bytes [start, end) of a file; fewer when it is shorter, none when it is unreadable. */
const readRange = (path: string, start: number, end: number): Buffer => {
  const target = Buffer.allocUnsafeSlow(end - start)
  let fd
  try {
    fd = openSync(path, 'r')
    return target.subarray(0, readSync(fd, target, 0, target.length, start))
  } catch {
    return target.subarray(0, 0)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
