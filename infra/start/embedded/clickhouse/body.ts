import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { FacadeException } from './exception.ts'
import type { RequestBody } from './request.ts'

/** Limits of one request, compressed and decompressed, and of all requests being read. */
const bodyBytesMax = 64 * 1024 * 1024
const readingBytesMax = 4 * bodyBytesMax

const decoders: Readonly<
  Record<string, (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>>
> = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) }

/** Reads bodies and limits the bytes that unanswered requests hold. */
export type BodyReader = {
  /** @throws FacadeException 307 when the body exceeds its bound, 202 when all bodies exceed theirs */
  read(request: IncomingMessage): Promise<{ body: RequestBody; release(): void }>
}

export const createBodyReader = (): BodyReader => {
  let reading = 0
  return {
    read: async (request) => {
      let held = 0
      const release = () => {
        reading -= held
        held = 0
      }
      try {
        const chunks: Buffer[] = []
        for await (const chunk of chunksOf(request)) {
          held += chunk.length
          reading += chunk.length
          if (held > bodyBytesMax) throw tooLarge()
          if (reading > readingBytesMax) {
            throw new FacadeException(
              202,
              'TOO_MANY_SIMULTANEOUS_QUERIES',
              'The bodies of the running requests use all memory reserved for them',
            )
          }
          chunks.push(chunk)
        }
        const packed = Buffer.concat(chunks)
        const bytes = await unpack(packed, request.headers['content-encoding'])
        held += bytes.length - packed.length
        reading += bytes.length - packed.length
        return { body: await fieldsOf(bytes, request.headers['content-type']), release }
      } catch (error) {
        release()
        throw error
      }
    },
  }
}

const tooLarge = (): FacadeException =>
  new FacadeException(307, 'TOO_MANY_BYTES', `The request is larger than ${bodyBytesMax} bytes`)

/** Without an encoding set, a request yields buffers. */
const chunksOf = (request: IncomingMessage): AsyncIterable<Buffer> => request

const unpack = async (bytes: Buffer, encoding: string | undefined): Promise<Uint8Array> => {
  if (encoding === undefined || encoding === 'identity') return bytes
  const decode = decoders[encoding]
  if (decode === undefined) {
    throw new FacadeException(48, 'NOT_IMPLEMENTED', `Unknown Content-Encoding: ${encoding}`)
  }
  return decode(bytes, { maxOutputLength: bodyBytesMax }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new FacadeException(354, 'ZLIB_INFLATE_FAILED', `The ${encoding} body is broken`)
  })
}

/** Clients send parameters that are too long for a URL as form fields. */
const fieldsOf = async (bytes: Uint8Array, contentType = ''): Promise<RequestBody> => {
  if (!contentType.startsWith('multipart/form-data')) return { bytes, fields: new Map() }
  const response = new Response(Buffer.from(bytes), { headers: { 'content-type': contentType } })
  const form = await response.formData().catch((cause: unknown) => {
    throw new FacadeException(36, 'BAD_ARGUMENTS', `The form cannot be read: ${String(cause)}`)
  })
  const fields = new Map<string, string>()
  for (const [name, value] of form) {
    if (typeof value === 'string') fields.set(name, value)
    else throw new FacadeException(48, 'NOT_IMPLEMENTED', 'The embedded ClickHouse has no external tables')
  }
  return { bytes: new Uint8Array(), fields }
}
