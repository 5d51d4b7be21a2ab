import { crc32 } from 'node:zlib'

/**
 * One frame of a segment file, little-endian: CRC-32 of all that follows (4 bytes), payload length
 * (4), when it was stored in Unix ms (a double, 8), then the payload. Zeroes are not a valid frame.
 */
export const frameHeaderBytes = 16

const crcBytes = 4

/** Writes a frame to the start of `target` and returns its whole length in bytes. */
export const writeFrame = (target: Buffer, payload: Uint8Array, storedAt: number): number => {
  const end = frameHeaderBytes + payload.length
  target.writeUInt32LE(payload.length, 4)
  target.writeDoubleLE(storedAt, 8)
  target.set(payload, frameHeaderBytes)
  target.writeUInt32LE(crc32(target.subarray(crcBytes, end)), 0)
  return end
}

/** The frame that begins at `offset`, its payload a view of `source`; null when it is torn or bad. */
export const readFrame = (
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
