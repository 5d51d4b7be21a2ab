import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { acceptedBy } from './headers.ts'

/** All browsers understand both. brotli is smaller. */
export type Coding = 'br' | 'gzip'

/** A smaller text fits into the packet that a client waits for anyway. */
export const compressedBytesMin = 1_024

/** Fast enough for every answer: 100 KB take about a millisecond. */
const quick = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  gzip: { level: 6 },
} as const
/** For texts that are compressed once. */
const thorough = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } },
  gzip: { level: 9 },
} as const

const coders = {
  br: promisify<string, object, Buffer>(brotliCompress),
  gzip: promisify<string, object, Buffer>(gzip),
}

/**
 * The coding that a client accepts (RFC 9110, 12.5.3), null if none.
 * @param codings to choose from, the preferred one first
 */
export const codingFor = (
  acceptEncoding: string | undefined,
  codings: readonly Coding[] = ['br', 'gzip'],
): Coding | null => {
  if (acceptEncoding === undefined) return null
  const accepted = acceptedBy(acceptEncoding)
  return codings.find((coding) => accepted.some(({ name, weight }) => name === coding && weight > 0)) ?? null
}

/** Compresses one answer. */
export const compress = (text: string, coding: Coding): Promise<Buffer> => coders[coding](text, quick[coding])

/** Compresses a text that never changes as small as possible, once per coding. */
export const compressOnce = (text: string): ((coding: Coding) => Promise<Buffer>) => {
  const known = new Map<Coding, Promise<Buffer>>()
  return (coding) => {
    const compressed = known.get(coding) ?? coders[coding](text, thorough[coding])
    known.set(coding, compressed)
    return compressed
  }
}
