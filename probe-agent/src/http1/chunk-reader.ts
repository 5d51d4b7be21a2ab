import { parseField } from './fields.ts'
import { createLines, type LineBound } from './lines.ts'
import type { Tolerate } from './notes.ts'
import { oddField } from './odd-lines.ts'
import type { Problem } from './problem.ts'

/** Parses chunked content (RFC 9112 7.1). */
export type ChunkReader = {
  /**
   * @returns `end` after the last chunk and its trailers; null: more bytes are needed
   */
  read(bytes: Buffer, onData: (data: Buffer) => void): 'end' | Problem | null
}

/** A size and its extensions, which are ignored. */
const sizeLine = /^([\da-f]+)(?:;[\t\x20-\x7e\x80-\xff]*)?$/i
/** A size and anything after it. */
const looseSizeLine = /^([\da-f]+)/i

type Expected = 'size' | 'data' | 'data_end' | 'trailer'

/** Digits that belong to the size; the rest of the line counts as extensions. */
const sizeDigits = 16

/**
 * @param bound of all extensions, and of all trailers
 * @param tolerate when given, content that browsers accept is accepted
 */
export const createChunkReader = (bound: LineBound, tolerate: Tolerate = null): ChunkReader => {
  const lines = createLines(bound, tolerate)
  let expected: Expected = 'size'
  let left = 0
  let extensionBytes = 0

  const readLine = (line: string): 'end' | Problem | null => {
    if (expected === 'trailer') {
      if (line === '') return 'end'
      if (parseField(line) !== null) return null
      if (tolerate === null || line.includes('\0')) return 'malformed'
      oddField(line, tolerate)
      return null
    }
    lines.reset()
    if (expected === 'data_end') {
      expected = 'size'
      return line === '' ? null : 'malformed'
    }
    extensionBytes += Math.max(0, line.length - sizeDigits)
    if (extensionBytes > bound.bytes) return 'too_large'
    const size = Number.parseInt(sizeOf(line, tolerate), 16)
    if (!Number.isSafeInteger(size)) return 'malformed'
    left = size
    expected = size === 0 ? 'trailer' : 'data'
    return null
  }

  return {
    read: (bytes, onData) => {
      let at = 0
      while (at < bytes.length) {
        if (expected === 'data') {
          const till = Math.min(bytes.length, at + left)
          onData(bytes.subarray(at, till))
          left -= till - at
          at = till
          if (left === 0) expected = 'data_end'
          continue
        }
        const next = lines.next(bytes, at)
        if (next === null) break
        if ('problem' in next) return next.problem
        at = next.rest
        const result = readLine(next.line)
        if (result !== null) return result
      }
      const isHopeless =
        tolerate === null ? hopeless(expected, lines.begun) : looseHopeless(expected, lines.beginning)
      return isHopeless ? 'malformed' : null
    },
  }
}

/** Fails early when a line can no longer become valid: it may never end. */
const hopeless = (expected: Expected, begun: string): boolean =>
  (expected === 'size' && !/^(?:$|[\da-f]+(?:\r|;[^\r]*\r?)?$)/i.test(begun)) ||
  (expected === 'data_end' && begun !== '' && begun !== '\r')

/** The same when any text may follow a size. */
const looseHopeless = (expected: Expected, beginning: string): boolean =>
  beginning !== '' &&
  ((expected === 'size' && !looseSizeLine.test(beginning)) || (expected === 'data_end' && beginning !== '\r'))

/** The digits of a size; empty when there are none. */
const sizeOf = (line: string, tolerate: Tolerate): string => {
  const size = sizeLine.exec(line)?.[1]
  if (size !== undefined || tolerate === null) return size ?? ''
  const loose = looseSizeLine.exec(line)?.[1]
  if (loose !== undefined) tolerate('chunkSize')
  return loose ?? ''
}
