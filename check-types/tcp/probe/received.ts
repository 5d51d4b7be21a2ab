import { isUtf8 } from 'node:buffer'

/** Received bytes that are stored and searched. */
export const receivedBytesMax = 4 * 1024

/** Appends received bytes, up to `receivedBytesMax`. */
export const appendReceived = (kept: Buffer, chunk: Buffer): Buffer =>
  Buffer.concat([kept, chunk.subarray(0, receivedBytesMax - kept.length)])

const shownCharactersMax = 200
/** The most bytes of that many characters, and the most that a cut leaves of one. */
const shownBytesMax = 4 * shownCharactersMax
const brokenBytesMax = 3

/**
 * The start of received data on one readable line: at most 200 characters; control and invisible
 * characters and the backslash as escapes; invalid UTF-8 as `\xNN`. Null when empty.
 */
export const shown = (kept: Buffer): string | null => {
  if (kept.length === 0) return null
  let line = ''
  for (const piece of pieces(kept)) {
    if (line.length + piece.length > shownCharactersMax) break
    line += piece
  }
  return line
}

const pieces = (kept: Buffer): string[] => {
  const head = kept.subarray(0, shownBytesMax)
  const cuts = head.length < kept.length ? brokenBytesMax : 0
  for (let cut = 0; cut <= cuts; cut += 1) {
    const whole = head.subarray(0, head.length - cut)
    if (isUtf8(whole)) return [...whole.toString('utf8')].map(visible)
  }
  return [...head].map((byte) => (byte < 0x80 ? visible(String.fromCharCode(byte)) : hex(byte)))
}

const named: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
}

const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/u

const visible = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  const escape = code < 0x100 ? hex(code) : `\\u{${code.toString(16)}}`
  return named[character] ?? (unseen.test(character) ? escape : character)
}

const hex = (byte: number): string => `\\x${byte.toString(16).padStart(2, '0')}`
