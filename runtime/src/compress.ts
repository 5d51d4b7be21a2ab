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
  const known: CodedText = new Map()
  return (coding) => inCoding(known, coding, () => coders[coding](text, thorough[coding]))
}

/** A text in each coding that was asked for. */
export type CodedText = Map<Coding, Promise<Buffer>>

/** A text in a coding, compressed at the first request for it, and again at the next one after a failure. */
export const inCoding = (
  known: CodedText,
  coding: Coding,
  compressText: () => Promise<Buffer>,
): Promise<Buffer> => {
  const kept = known.get(coding)
  if (kept !== undefined) return kept
  const compressed = compressText()
  known.set(coding, compressed)
  compressed.catch(() => known.delete(coding))
  return compressed
}
