import type { Log } from '@probe-mesh/bus/log/log'
import { frameHeaderBytes } from '@probe-mesh/bus/log/segment'
import { BusUnavailable } from '@probe-mesh/bus/port'

/** What is carried over takes at most this share of a segment: appending then always ends. */
const carriedShareOfSegment = 0.5

const upVerdict = Buffer.from('"verdict":"up"')

/** Whether an encoded reading is `up`. Quotes inside a JSON string are escaped: only the field itself reads so. */
export const isUp = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(upVerdict)

/**
 * Appends to a log that drops its oldest segment when it is full. What that segment held and was
 * not `up` is appended again, newest first, as far as half a segment goes: a full disk costs
 * readings of what worked before it costs those that tell of an outage (F-17). Order is free, since
 * every reading carries its time, and one that was published already is dropped as a twin (S-2810).
 * @returns how many dropped readings were carried over
 * @throws BusUnavailable when the disk does not take the reading
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
  const gone = oldest.filter(({ sequence }) => sequence < log.first).toReversed()
  for (const entry of gone) {
    if (isUp(entry.bytes)) continue
    bytesLeft -= entry.bytes.length + frameHeaderBytes
    if (bytesLeft < 0 || !takes(log, entry.bytes)) break
    carried++
  }
  return carried
}

/** The reading itself is spooled by now: a disk that takes no more costs only what was to stay. */
const takes = (log: Log, bytes: Uint8Array): boolean => {
  try {
    log.append(bytes)
    return true
  } catch (error) {
    if (error instanceof BusUnavailable) return false
    throw error
  }
}
