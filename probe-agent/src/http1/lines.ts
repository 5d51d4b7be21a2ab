import type { Tolerate } from './notes.ts'
import type { Problem } from './problem.ts'

/** Cuts bytes into lines that end in CR LF; a bare CR or LF is none's end (RFC 9112 2.2). */
export type Lines = {
  /** @returns the next line, as latin1 without its end, and where it ended; null: more is needed */
  take(chunk: Buffer, from: number): { line: string; rest: number } | { problem: Problem } | null
  /** The line that is not complete yet. */
  readonly begun: string
  /** Its first characters: however long it is, and in whatever pieces it comes, this costs nothing. */
  readonly beginning: string
  /** The bytes of what follows are counted from here. */
  reset(): void
}

/** How much is read of lines. */
export type LineBound = {
  bytes: number
  /** Asked once they are reached: how many there may be then. null: no more. */
  more: (() => number) | null
}

const lf = 0x0a
const beginningCharacters = 16

/**
 * @param bound of all lines until `reset`
 * @param tolerate where it is told, LF alone ends a line too, and a CR may stand inside one
 */
export const createLines = (bound: LineBound, tolerate: Tolerate = null): Lines => {
  let bytesMax = bound.bytes
  let begun = ''
  let beginning = ''
  let endsInReturn = false
  let bytes = 0
  /** Reads the new part alone, since lines may come byte by byte. */
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
    take: (chunk, from) => {
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
