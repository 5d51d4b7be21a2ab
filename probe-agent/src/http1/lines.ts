import type { Problem } from './problem.ts'

/** Cuts bytes into lines that end in CR LF; a bare CR or LF is none's end (RFC 9112 2.2). */
export type Lines = {
  /** @returns the next line, as latin1 without its end, and where it ended; null: more is needed */
  take(chunk: Buffer, from: number): { line: string; rest: number } | { problem: Problem } | null
  /** The line that is not complete yet. */
  readonly begun: string
  /** The bytes of what follows are counted from here. */
  reset(): void
}

const lf = 0x0a

/** @param bytesMax of all lines until `reset` */
export const createLines = (bytesMax: number): Lines => {
  let begun = ''
  let bytes = 0
  return {
    take: (chunk, from) => {
      const end = chunk.indexOf(lf, from)
      const till = end === -1 ? chunk.length : end + 1
      bytes += till - from
      if (bytes > bytesMax) return { problem: 'too_large' }
      const text = begun + chunk.toString('latin1', from, till)
      if (end === -1) {
        begun = text
        return /\r./s.test(text) ? { problem: 'malformed' } : null
      }
      begun = ''
      if (!text.endsWith('\r\n')) return { problem: 'malformed' }
      return { line: text.slice(0, -2), rest: till }
    },
    get begun() {
      return begun
    },
    reset: () => {
      bytes = 0
    },
  }
}
