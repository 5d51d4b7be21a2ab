import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

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

/** The coding that a client accepts (RFC 9110, 12.5.3); brotli if it accepts both, null if neither. */
export const codingFor = (acceptEncoding: string | undefined): Coding | null => {
  if (acceptEncoding === undefined) return null
  const accepted = new Set<string>()
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    if (!parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter))) accepted.add(name)
  }
  return accepted.has('br') ? 'br' : accepted.has('gzip') ? 'gzip' : null
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
