import type { ServerHttp2Stream } from 'node:http2'
import { CallFailed, status } from './status.ts'

/** What precedes a message in a body: whether it is compressed, and its length in four bytes. */
const headBytes = 5

/** As much as Terraform takes itself. */
export const messageBytesMax = 256 * 1024 * 1024

export const frame = (message: Uint8Array): Buffer => {
  const head = Buffer.alloc(headBytes)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

/** The one message of a body. @throws CallFailed */
const unframe = (body: Buffer): Uint8Array => {
  if (body.length < headBytes || body.length !== headBytes + body.readUInt32BE(1)) {
    throw new CallFailed(status.internal, 'the body is not one message')
  }
  if (body[0] !== 0) throw new CallFailed(status.unimplemented, 'no message is compressed here')
  return body.subarray(headBytes)
}

/** The message that a stream brings. @throws CallFailed as soon as it is too long */
export const readMessage = (stream: ServerHttp2Stream, bytesMax: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= headBytes + bytesMax) chunks.push(chunk)
      else {
        chunks.length = 0
        reject(new CallFailed(status.resourceExhausted, `a message is over ${bytesMax} bytes`))
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
