import { isSpace, trimmed } from './fields.ts'
import type { Tolerate } from './notes.ts'

/** As in browsers, the first number after a space is the status, for any version. */
const loose = /^([^]{0,4}?)http[^ ]* [ \t\r]*(\d{3})(?!\d)/i

/** The status in an invalid status line; null when there is none, or nothing is tolerated. */
export const oddStatus = (line: string, tolerate: Tolerate): string | null => {
  if (tolerate === null || line.includes('\0')) return null
  const match = loose.exec(line)
  if (match === null) return null
  tolerate(match[1] === '' ? 'statusLine' : 'bytesBefore')
  return match[2] ?? null
}

/**
 * Parses an invalid header line as browsers do: a line without a name, or with a space after it, is
 * ignored.
 * @returns a null name continues the previous value; null: nothing
 */
export const oddField = (
  line: string,
  tolerate: NonNullable<Tolerate>,
): { name: string | null; value: string } | null => {
  if (isSpace(line.charCodeAt(0))) {
    tolerate('folded')
    return { name: null, value: line.trim() }
  }
  const colon = line.indexOf(':')
  if (colon <= 0) {
    tolerate(colon === 0 ? 'noName' : 'noColon')
    return null
  }
  const name = line.slice(0, colon)
  if (isSpace(name.charCodeAt(name.length - 1))) {
    tolerate('spaceBeforeColon')
    return null
  }
  if (!/^[\w!#$%&'*+\-.^`|~]+$/.test(name)) tolerate('nameCharacters')
  const value = line.slice(colon + 1)
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) tolerate('valueCharacters')
  return { name: name.toLowerCase(), value: trimmed(value) }
}
