import * as zlib from 'node:zlib'

/** Size limits of a body before and after decompression, as documented by Sentry. */
const packedBytesMax = 200 * 1024
export const rawBytesMax = 1024 * 1024

type Unpack = (body: Uint8Array, options: { maxOutputLength: number }) => Uint8Array

/** zstd is missing before Node 22.15. */
const unpackers = new Map<string, Unpack>(
  Object.entries({
    gzip: zlib.gunzipSync,
    'x-gzip': zlib.gunzipSync,
    deflate: zlib.inflateSync,
    br: zlib.brotliDecompressSync,
    ...(typeof zlib.zstdDecompressSync === 'function' ? { zstd: zlib.zstdDecompressSync } : {}),
  }),
)

export type Unpacked = { body: Uint8Array } | { refused: 'size' | 'invalid'; problem: string }

/** Unpacks by `Content-Encoding`. Decompression stops at the size limit. Never throws. */
export const unpackBody = (body: Uint8Array, encoding: string | undefined): Unpacked => {
  const name = (encoding ?? '').trim().toLowerCase()
  const tooLarge = (bytes: number): Unpacked => ({
    refused: 'size',
    problem: `the body is larger than ${bytes} bytes`,
  })
  if (name === '' || name === 'identity') {
    return body.length > rawBytesMax ? tooLarge(rawBytesMax) : { body }
  }
  if (body.length > packedBytesMax) return tooLarge(packedBytesMax)
  const unpack = unpackers.get(name)
  if (unpack === undefined) return { refused: 'invalid', problem: 'unsupported content encoding' }
  try {
    return { body: unpack(body, { maxOutputLength: rawBytesMax }) }
  } catch (error) {
    const isLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    return isLarge ? tooLarge(rawBytesMax) : { refused: 'invalid', problem: `the body is not valid ${name}` }
  }
}
