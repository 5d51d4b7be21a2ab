import * as zlib from 'node:zlib'

/** Bytes of a body as it comes, and as it is when it is unpacked (docs.sentry.io, size limits). */
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

/** What a body was packed from, or why it cannot be said. */
export type Unpacked = { body: Uint8Array } | { refused: 'size' | 'invalid'; problem: string }

/** Unpacks by `Content-Encoding`, within bounds: nothing grows beyond them on the way. Never throws. */
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
