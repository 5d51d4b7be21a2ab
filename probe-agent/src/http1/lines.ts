import type { Tolerate } from './notes.ts'
import type { Problem } from './problem.ts'

/** Splits bytes into lines that end in CR LF; a bare CR or LF ends no line (RFC 9112 2.2). */
export type Lines = {
  /**
   * @returns the next line as latin1 without its end, and where it ended; null: more bytes are
   * needed
   */
  next(chunk: Buffer, from: number): { line: string; rest: number } | { problem: Problem } | null
  /** The incomplete line. */
  readonly begun: string
  /** Its first characters, at a constant cost for lines of any length in any pieces. */
  readonly beginning: string
  /** Restarts the count of bytes. */
  reset(): void
}

/** Limit of the bytes in lines. */
export type LineBound = {
  bytes: number
  /** Called at the limit and returns the new limit. null: the limit is final. */
  more: (() => number) | null
}

const lf = 0x0a
const beginningCharacters = 16

/**
 * @param bound of all lines until `reset`
 * @param tolerate when given, LF alone also ends a line, and a line may contain CR
 */
export const createLines = (bound: LineBound, tolerate: Tolerate = null): Lines => {
  let bytesMax = bound.bytes
  let begun = ''
  let beginning = ''
  let endsInReturn = false
  let bytes = 0
  /** Scans only the new part, since lines may come byte by byte. */
  const begin = (text: string): { problem: Problem } | null => {
    const isBare = (endsInReturn && text !== '') || /\r./s.test(text)
    begun += text
    if (beginning.length < beginningCharacters) {
      beginning += text.slice(0, beginningCharacters - beginning.length)
    }
    endsInReturn = text === '' ? endsInReturn : text.endsWith('\r')
    return isBare && tolerate === null ? { problem: 'malformed' } : null
  }
  return {
    next: (chunk, from) => {
      const end = chunk.indexOf(lf, from)
      const till = end === -1 ? chunk.length : end + 1
      bytes += till - from
      if (bytes > bytesMax) {
        bytesMax = bound.more?.() ?? bytesMax
        if (bytes > bytesMax) return { problem: 'too_large' }
      }
      const text = chunk.toString('latin1', from, till)
      if (end === -1) return begin(text)
      const whole = begun === '' ? text : begun + text
      begun = ''
      beginning = ''
      endsInReturn = false
      if (whole.endsWith('\r\n')) return { line: whole.slice(0, -2), rest: till }
      if (tolerate === null) return { problem: 'malformed' }
      tolerate('lineFeed')
      return { line: whole.slice(0, -1), rest: till }
    },
    get begun() {
      return begun
    },
    get beginning() {
      return beginning
    },
    reset: () => {
      bytes = 0
    },
  }
}
