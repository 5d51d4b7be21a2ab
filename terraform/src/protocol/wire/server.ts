import {
  createSecureServer,
  createServer,
  type Http2Server,
  type Http2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Log } from '../log.ts'

/** The gRPC statuses that this server sends. */
export const status = { ok: 0, resourceExhausted: 8, unimplemented: 12, internal: 13 } as const

/** A call that ends with a status other than ok. */
export class CallFailed extends Error {
  override name = 'CallFailed'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Percent-encodes a message for a header: `%` and all UTF-8 bytes that are not printable ASCII. */
export const statusMessage = (message: string): string =>
  Array.from(Buffer.from(message), (byte) =>
    byte >= 0x20 && byte <= 0x7e && byte !== 0x25
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('')

export type Method = {
  /** @param signal aborts when the caller no longer waits */
  answer(message: Uint8Array, signal: AbortSignal): Promise<Uint8Array>
  /** Called when the response is sent. */
  answered?(session: Http2Session | undefined): void
}

/** The server's certificate, and the one authority whose clients it accepts. */
type Tls = { certificate: string; privateKey: string; clientAuthority: string }

/**
 * A server of gRPC's unary calls over HTTP/2. Every call is answered: an unknown path with UNIMPLEMENTED, an
 * exception of a method with INTERNAL.
 *
 * @param options.methods by path, `/<service>/<method>`
 * @param options.tls null: plain text, when Terraform requests it or attaches to a running provider
 */
export const createGrpcServer = (options: {
  methods: ReadonlyMap<string, Method>
  tls: Tls | null
  log: Log
  bytesMax?: number
}): Http2Server => {
  const { methods, tls, log, bytesMax = messageBytesMax } = options
  // in MB, where 10 are usual: states are large, and a session holds several
  const http2 = { maxSessionMemory: 1024, settings: { initialWindowSize: 1024 * 1024 } }
  const server =
    tls === null
      ? createServer(http2)
      : createSecureServer({
          ...http2,
          cert: tls.certificate,
          key: tls.privateKey,
          ca: tls.clientAuthority,
          requestCert: true,
          rejectUnauthorized: true,
          minVersion: 'TLSv1.2',
        })
  server.on('stream', (stream, headers) => {
    stream.on('error', (error) => log('debug', `a call broke off: ${error.message}`))
    const method = methods.get(headers[':path'] ?? '')
    // Terraform makes two unknown calls first: an exception for each would delay the call that it waits for
    if (method === undefined) return endWithStatus(stream, status.unimplemented, 'unknown method')
    void serveCall(stream, method, bytesMax).catch((error: unknown) => {
      if (stream.destroyed || stream.headersSent) return
      const failed = error instanceof CallFailed
      if (!failed) log('error', `${headers[':path']} failed: ${describe(error)}`)
      endWithStatus(
        stream,
        failed ? error.status : status.internal,
        failed ? error.message : 'the provider failed: see its log',
      )
    })
  })
  for (const name of ['sessionError', 'tlsClientError'] as const) {
    server.on(name, (error: Error) => log('debug', `a connection broke off: ${error.message}`))
  }
  return server
}

const serveCall = async (stream: ServerHttp2Stream, method: Method, bytesMax: number): Promise<void> => {
  const cancelled = new AbortController()
  const cancel = (): void => cancelled.abort()
  stream.once('close', cancel)
  const answer = await method.answer(await readMessage(stream, bytesMax), cancelled.signal)
  // an abort after each response would create an exception with its stack, a large part of the cost of a call
  stream.off('close', cancel)
  if (stream.destroyed) return
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': String(status.ok) }))
  // a closed stream no longer has a session
  const { session } = stream
  stream.once('close', () => method.answered?.(session))
  stream.end(frame(answer))
}

const endWithStatus = (stream: ServerHttp2Stream, code: number, message: string): void => {
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': String(code),
      'grpc-message': statusMessage(message),
    },
    { endStream: true },
  )
  // the rest of the request is read and dropped
  stream.resume()
}

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)

/** The header of a message in a body: a compression flag and a length of four bytes. */
const headBytes = 5

/** The same limit as Terraform's own. */
const messageBytesMax = 256 * 1024 * 1024

export const frame = (message: Uint8Array): Buffer => {
  const head = Buffer.alloc(headBytes)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

/** The one message of a body. @throws CallFailed */
const unframe = (body: Buffer): Uint8Array => {
  if (body.length < headBytes || body.length !== headBytes + body.readUInt32BE(1)) {
    throw new CallFailed(status.internal, 'the body is not a single message')
  }
  if (body[0] !== 0) throw new CallFailed(status.unimplemented, 'compressed messages are not supported')
  return body.subarray(headBytes)
}

/** Reads the message of a stream. @throws CallFailed as soon as it is too long */
const readMessage = (stream: ServerHttp2Stream, bytesMax: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= headBytes + bytesMax) chunks.push(chunk)
      else {
        chunks.length = 0
        reject(new CallFailed(status.resourceExhausted, `a message is larger than ${bytesMax} bytes`))
      }
    })
    const breakOff = (): void => reject(new Error('the call ended before its message did'))
    stream.once('close', breakOff)
    stream.once('end', () => {
      stream.off('close', breakOff)
      try {
        resolve(unframe(Buffer.concat(chunks)))
      } catch (error) {
        reject(error)
      }
    })
  })
