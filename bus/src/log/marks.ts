import { closeSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'

/** A few numbers that survive kill -9, such as the last released sequence. */
export type Marks = {
  get(index: number): number
  /** false: the file could not be written, and the number lasts until the process ends. */
  set(index: number, value: number): boolean
  close(): void
}

const markBytes = 16

const encodeMark = (value: number): Buffer => {
  const bytes = Buffer.alloc(markBytes)
  bytes.writeDoubleLE(value, 8)
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 0)
  return bytes
}

const decodeMark = (bytes: Buffer): number =>
  crc32(bytes.subarray(8)) === bytes.readUInt32LE(0) ? bytes.readDoubleLE(8) : 0

/**
 * Opens `count` marks in one file, which is created if absent; a damaged mark reads as 0. Each is written in
 * place by one write(2) within a page, so a killed process leaves the old or the new number.
 */
export const openMarks = (path: string, count: number): Marks => {
  mkdirSync(dirname(path), { recursive: true })
  const file = openSync(path, 'a+')
  closeSync(file)
  const fd = openSync(path, 'r+')
  const stored = Buffer.alloc(count * markBytes)
  readSync(fd, stored, 0, stored.length, 0)
  const values = Array.from({ length: count }, (_, index) =>
    decodeMark(stored.subarray(index * markBytes, (index + 1) * markBytes)),
  )
  let closed = false

  return {
    get: (index) => values[index] ?? 0,
    set: (index, value) => {
      if (index < 0 || index >= count) throw new RangeError(`no mark ${index}`)
      values[index] = value
      if (closed) return false
      try {
        return writeSync(fd, encodeMark(value), 0, markBytes, index * markBytes) === markBytes
      } catch {
        // The disk is full: after a restart the older number is read, and work is repeated.
        return false
      }
    },
    close: () => {
      if (!closed) closeSync(fd)
      closed = true
    },
  }
}
