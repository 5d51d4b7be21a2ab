import type { Tolerate } from './notes.ts'

/** Whatever stands for the version, the first number behind a space is the status, as browsers have it. */
const loose = /^([^]{0,4}?)http[^ ]* [ \t\r]*(\d{3})(?!\d)/i

/** The status in a line that is no status line by the grammar; null where there is none, or nothing is tolerated. */
export const oddStatus = (line: string, tolerate: Tolerate): string | null => {
  if (tolerate === null || line.includes('\0')) return null
  const match = loose.exec(line)
  if (match === null) return null
  tolerate(match[1] === '' ? 'statusLine' : 'bytesBefore')
  return match[2] ?? null
}

/**
 * A header line that is none by the grammar, as browsers take it: what has no name, or a space behind
 * it, is ignored. @returns the name null for more of the value before; null: there is nothing in it
 */
export const oddField = (
  line: string,
  tolerate: NonNullable<Tolerate>,
): { name: string | null; value: string } | null => {
  if (/^[ \t]/.test(line)) {
    tolerate('folded')
    return { name: null, value: line.trim() }
  }
  const colon = line.indexOf(':')
  if (colon <= 0) {
    tolerate(colon === 0 ? 'noName' : 'noColon')
    return null
  }
  const name = line.slice(0, colon)
  if (/[ \t]$/.test(name)) {
    tolerate('spaceBeforeColon')
    return null
  }
  if (!/^[\w!#$%&'*+\-.^`|~]+$/.test(name)) tolerate('nameCharacters')
  const value = line.slice(colon + 1)
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) tolerate('valueCharacters')
  return { name: name.toLowerCase(), value: value.replace(/^[ \t]+|[ \t]+$/g, '') }
}
