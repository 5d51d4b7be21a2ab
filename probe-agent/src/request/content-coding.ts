import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { listMembers } from '@probe-mesh/runtime/headers'

export type KnownCoding = 'gzip' | 'x-gzip' | 'deflate' | 'br'

/** Whether the probe can decode a coding. */
export const isKnown = (coding: string): coding is KnownCoding =>
  coding === 'gzip' || coding === 'x-gzip' || coding === 'deflate' || coding === 'br'

/** The codings of a body in the order applied, without `identity`. */
export const contentCodings = (header: string | undefined): string[] =>
  listMembers(header?.toLowerCase()).filter((coding) => coding !== 'identity')

/**
 * Decodes a truncated body as far as possible, as browsers do; the framing shows whether it is
 * complete.
 */
const partial = { finishFlush: constants.Z_SYNC_FLUSH }

/** A decoder for a body that starts with these bytes. */
export const decoderOf = (coding: KnownCoding, first: Buffer): Transform => {
  if (coding === 'br') return createBrotliDecompress()
  if (coding !== 'deflate') return createGunzip(partial)
  return isZlib(first) ? createInflate(partial) : createInflateRaw(partial)
}

/** `deflate` means zlib (RFC 9110 8.4.1.2), but some servers send the raw stream. */
const isZlib = (first: Buffer): boolean => {
  const [method = 0, flags = 0] = first
  return (method & 0x0f) === 8 && (first.length < 2 || (method * 256 + flags) % 31 === 0)
}
