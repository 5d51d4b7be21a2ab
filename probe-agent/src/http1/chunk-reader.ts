import { parseField } from './fields.ts'
import { createLines } from './lines.ts'
import type { Problem } from './problem.ts'

/** Takes chunked content apart (RFC 9112 7.1). */
export type ChunkReader = {
  /** @returns `end` when the last chunk and its trailers are complete; null: more is needed */
  take(bytes: Buffer, onData: (data: Buffer) => void): 'end' | Problem | null
}

/** A size and extensions, which nobody needs. */
const sizeLine = /^([\da-f]+)(?:;[\t\x20-\x7e\x80-\xff]*)?$/i

type Expected = 'size' | 'data' | 'data_end' | 'trailer'

/** So many digits are a size; what is beyond them in its line is counted with the extensions. */
const sizeDigits = 16

/** @param bytesMax of all extensions, and of all trailers */
export const createChunkReader = (bytesMax: number): ChunkReader => {
  const lines = createLines(bytesMax)
  let expected: Expected = 'size'
  let left = 0
  let extensionBytes = 0

  const takeLine = (line: string): 'end' | Problem | null => {
    if (expected === 'trailer') {
      if (line === '') return 'end'
      return parseField(line) === null ? 'malformed' : null
    }
    lines.reset()
    if (expected === 'data_end') {
      expected = 'size'
      return line === '' ? null : 'malformed'
    }
    extensionBytes += Math.max(0, line.length - sizeDigits)
    if (extensionBytes > bytesMax) return 'too_large'
    const size = Number.parseInt(sizeLine.exec(line)?.[1] ?? '', 16)
    if (!Number.isSafeInteger(size)) return 'malformed'
    left = size
    expected = size === 0 ? 'trailer' : 'data'
    return null
  }

  return {
    take: (bytes, onData) => {
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
        const next = lines.take(bytes, at)
        if (next === null) break
        if ('problem' in next) return next.problem
        at = next.rest
        const result = takeLine(next.line)
        if (result !== null) return result
      }
      return hopeless(expected, lines.begun) ? 'malformed' : null
    },
  }
}

/** What cannot become what is expected is told at once: its line may never end. */
const hopeless = (expected: Expected, begun: string): boolean =>
  (expected === 'size' && !/^(?:$|[\da-f]+(?:\r|;[^\r]*\r?)?$)/i.test(begun)) ||
  (expected === 'data_end' && begun !== '' && begun !== '\r')
