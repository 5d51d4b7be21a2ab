import { addField, parseField } from './fields.ts'
import type { Fields } from './fields.ts'
import type { FramingFields } from './framing.ts'
import { createLines } from './lines.ts'
import type { Problem } from './problem.ts'

export type Head = { status: number; fields: Fields; framing: FramingFields }

/** Reads one head after another: interim ones may come before the response's own. */
export type HeadReader = {
  /**
   * Takes bytes until a head is complete.
   * @returns `rest`: where in the chunk the head ended; null: more is needed
   */
  take(chunk: Buffer, from: number): { head: Head; rest: number } | { problem: Problem } | null
}

/** "HTTP/" and a version that is read as one of 1.x; a reason may be missing with the space before it. */
const statusLine = /^HTTP\/(?:0\.9|1\.[01]|2\.0) (\d{3})(?: [^\r\n]*)?$/
const protocol = 'HTTP/'

/**
 * Heads of responses, however they are cut: a line is judged when it is complete, and what cannot
 * become a status line at once, since who speaks another protocol may never end a line.
 * @param bytesMax of one head
 */
export const createHeadReader = (bytesMax: number): HeadReader => {
  const lines = createLines(bytesMax)
  let head: Head | null = null

  /** @returns the head, when this line ended it; null: go on */
  const takeLine = (line: string): Head | Problem | null => {
    if (head === null) {
      const status = statusLine.exec(line)?.[1]
      if (status === undefined) return 'malformed'
      const framing = { contentLengths: [], transferEncodings: [] }
      head = { status: Number(status), fields: {}, framing }
      return null
    }
    if (line === '') return head
    const field = parseField(line)
    if (field === null) return 'malformed'
    addField(head.fields, field.name, field.value)
    if (field.name === 'content-length') head.framing.contentLengths.push(field.value)
    if (field.name === 'transfer-encoding') head.framing.transferEncodings.push(field.value)
    return null
  }

  return {
    take: (chunk, from) => {
      let at = head === null && lines.begun === '' ? afterEmptyLines(chunk, from) : from
      for (;;) {
        const next = lines.take(chunk, at)
        if (next === null) {
          const hopeless = head === null && !mayBecomeStatusLine(lines.begun)
          return hopeless ? { problem: 'malformed' } : null
        }
        if ('problem' in next) return next
        at = next.rest
        const result = takeLine(next.line)
        if (result === null) continue
        if (typeof result === 'string') return { problem: result }
        head = null
        lines.reset()
        return { head: result, rest: at }
      }
    },
  }
}

const mayBecomeStatusLine = (begun: string): boolean =>
  begun.startsWith(protocol) || protocol.startsWith(begun)

/** Before a status line they are ignored, as RFC 9112 2.2 has it for requests. */
const afterEmptyLines = (chunk: Buffer, from: number): number => {
  let at = from
  while (chunk[at] === 0x0d || chunk[at] === 0x0a) at += 1
  return at
}
