import type { Log } from '@probe-mesh/bus/log/log'
import { frameHeaderBytes } from '@probe-mesh/bus/log/segment'
import { BusUnavailable } from '@probe-mesh/bus/port'

/** Share of a segment for readings carried over, so that appending always ends. */
const carriedShareOfSegment = 0.5

const upVerdict = Buffer.from('"verdict":"up"')

/**
 * Whether an encoded reading is `up`. JSON escapes quotes in strings, so only the field itself
 * matches.
 */
export const isUp = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(upVerdict)

/**
 * Appends to a log that drops its oldest segment when it is full. Dropped readings that were not
 * `up` are appended again, newest first, up to half a segment: a full disk loses readings of
 * working targets before readings of outages (F-17). Their order does not matter, since each
 * reading has its time. A reading that was already published is removed as a duplicate (S-2810).
 * @returns the number of readings carried over
 * @throws BusUnavailable when the disk refuses the reading
 */
export const appendKeepingFailures = (
  log: Log,
  bytes: Uint8Array,
  bounds: { bytesMax: number; segmentBytesMax: number },
): number => {
  const isFull = log.bytes + bytes.length + frameHeaderBytes > bounds.bytesMax
  if (!isFull) {
    log.append(bytes)
    return 0
  }
  const from = log.first
  const oldest = log.read(from, {
    countMax: Number.POSITIVE_INFINITY,
    bytesMax: bounds.segmentBytesMax,
  })
  log.append(bytes)
  let bytesLeft = bounds.segmentBytesMax * carriedShareOfSegment
  let carried = 0
  const dropped = oldest.filter(({ sequence }) => sequence < log.first).toReversed()
  for (const entry of dropped) {
    if (isUp(entry.bytes)) continue
    bytesLeft -= entry.bytes.length + frameHeaderBytes
    if (bytesLeft < 0 || !appends(log, entry.bytes)) break
    carried++
  }
  return carried
}

/** The new reading is already spooled: a disk that fails now loses only carried readings. */
const appends = (log: Log, bytes: Uint8Array): boolean => {
  try {
    log.append(bytes)
    return true
  } catch (error) {
    if (error instanceof BusUnavailable) return false
    throw error
  }
}
