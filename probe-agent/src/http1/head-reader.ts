import { addField, appendToField, parseField, type Fields } from './fields.ts'
import type { FramingFields } from './framing.ts'
import { createLines, type LineBound } from './lines.ts'
import type { Tolerate } from './notes.ts'
import { oddField, oddStatus } from './odd-lines.ts'
import type { Problem } from './problem.ts'

type Head = { status: number; fields: Fields; framing: FramingFields }

/** Reads one head after another: interim responses may come first. */
type HeadReader = {
  /**
   * Reads bytes until a head is complete.
   * @returns `rest`: where the head ended in the chunk; null: more bytes are needed
   */
  read(chunk: Buffer, from: number): { head: Head; rest: number } | { problem: Problem } | null
}

/** "HTTP/" and a version read as 1.x; the reason and the space before it may be missing. */
const statusLine = /^HTTP\/(?:0\.9|1\.[01]|2\.0) (\d{3})(?: [^\r\n\0]*)?$/
const protocol = 'HTTP/'

/**
 * Reads heads of responses from any split of the bytes. A complete line is checked at once, and so
 * is the start of a status line: another protocol may never end a line.
 * @param bound of one head
 * @param tolerate when given, heads that browsers accept are accepted
 */
export const createHeadReader = (bound: LineBound, tolerate: Tolerate = null): HeadReader => {
  const lines = createLines(bound, tolerate)
  let head: Head | null = null
  let lastName: string | null = null

  const add = (to: Head, name: string, value: string): void => {
    addField(to.fields, name, value)
    if (name === 'content-length') to.framing.contentLengths.push(value)
    if (name === 'transfer-encoding') to.framing.transferEncodings.push(value)
    lastName = name
  }
  /** A line that the grammar rejects: as in browsers, a CR also separates lines here. */
  const readOddLine = (to: Head, line: string): Problem | null => {
    if (tolerate === null || line.includes('\0')) return 'malformed'
    const keep = (field: ReturnType<typeof oddField>): void => {
      if (field === null) return
      if (field.name !== null) add(to, field.name, field.value)
      else if (lastName !== null) appendToField(to, lastName, field.value)
    }
    if (!line.includes('\r')) {
      keep(oddField(line, tolerate))
      return null
    }
    tolerate('carriageReturn')
    for (const part of line.split('\r')) {
      if (part !== '') keep(parseField(part) ?? oddField(part, tolerate))
    }
    return null
  }
  /**
   * @returns the head when this line ended it; null: continue
   */
  const readLine = (line: string): Head | Problem | null => {
    if (head === null) {
      const status = statusLine.exec(line)?.[1] ?? oddStatus(line, tolerate)
      if (status === null) return 'malformed'
      const framing = { contentLengths: [], transferEncodings: [] }
      head = { status: Number(status), fields: {}, framing }
      return null
    }
    if (line === '') return head
    const field = parseField(line)
    if (field === null) return readOddLine(head, line)
    add(head, field.name, field.value)
    return null
  }

  return {
    read: (chunk, from) => {
      let at = head === null && lines.beginning === '' ? afterEmptyLines(chunk, from) : from
      for (;;) {
        const next = lines.next(chunk, at)
        if (next === null) {
          const hopeless = head === null && !mayBecomeStatusLine(lines.beginning, tolerate)
          return hopeless ? { problem: 'malformed' } : null
        }
        if ('problem' in next) return next
        at = next.rest
        const result = readLine(next.line)
        if (result === null) continue
        if (typeof result === 'string') return { problem: result }
        head = null
        lastName = null
        lines.reset()
        return { head: result, rest: at }
      }
    },
  }
}

/** Browsers accept this many bytes before the protocol's name. */
const strayBytesMax = 4

const mayBecomeStatusLine = (begun: string, tolerate: Tolerate): boolean => {
  if (begun.startsWith(protocol) || protocol.startsWith(begun)) return true
  if (tolerate === null) return false
  for (let at = 0; at <= strayBytesMax; at += 1) {
    if ('http'.startsWith(begun.slice(at, at + 4).toLowerCase())) return true
  }
  return false
}

/** Skips empty lines before a status line, as RFC 9112 2.2 does for requests. */
const afterEmptyLines = (chunk: Buffer, from: number): number => {
  let at = from
  while (chunk[at] === 0x0d || chunk[at] === 0x0a) at += 1
  return at
}
