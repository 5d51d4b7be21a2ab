import type { Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
} from 'node:zlib'

export type KnownCoding = 'gzip' | 'x-gzip' | 'deflate' | 'br'

/** Whether a coding can be read here. */
export const isKnown = (coding: string): coding is KnownCoding =>
  coding === 'gzip' || coding === 'x-gzip' || coding === 'deflate' || coding === 'br'

/** The codings of a body in the order they were applied, without those that change nothing. */
export const contentCodings = (header: string | undefined): string[] =>
  header === undefined
    ? []
    : header
        .split(',')
        .map((coding) => coding.trim().toLowerCase())
        .filter((coding) => coding !== '' && coding !== 'identity')

/** What is cut off is decoded as far as it came, as browsers do: whether all came, the framing says. */
const asFar = { finishFlush: constants.Z_SYNC_FLUSH }

/** A decoder for a body that begins with these bytes. */
export const decoderOf = (coding: KnownCoding, first: Buffer): Transform => {
  if (coding === 'br') return createBrotliDecompress()
  if (coding !== 'deflate') return createGunzip(asFar)
  return isZlib(first) ? createInflate(asFar) : createInflateRaw(asFar)
}

/** `deflate` means zlib (RFC 9110 8.4.1.2), yet some servers send the bare stream. */
const isZlib = (first: Buffer): boolean => {
  const [method = 0, flags = 0] = first
  return (method & 0x0f) === 8 && (first.length < 2 || (method * 256 + flags) % 31 === 0)
}
