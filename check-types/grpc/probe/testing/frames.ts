import type { Socket } from 'node:net'

/** An HTTP/2 frame (RFC 9113 4.1). */
const frame = (type: number, flags: number, stream: number, payload: Buffer): Buffer => {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

const uint32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at)
  return bytes
}

/** A field of a header block without compression; a text has less than 127 bytes. */
const field = (name: string, value: string): Buffer =>
  Buffer.concat(
    [0, name, value].map((part) => (typeof part === 'number' ? Buffer.from([part]) : textOf(part))),
  )
const textOf = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])

const endStream = 1
const endHeaders = 4
/** `:status 200` in the static table. */
const statusOk = Buffer.from([0x88])

/** What a server sends about the first stream of a connection, frame by frame. */
export const frames = {
  settings: frame(4, 0, 0, Buffer.alloc(0)),
  head: frame(1, endHeaders, 1, Buffer.concat([statusOk, field('content-type', 'application/grpc')])),
  data: (content: Buffer) => frame(0, 0, 1, content),
  trailers: frame(1, endHeaders | endStream, 1, field('grpc-status', '0')),
  reset: (code: number) => frame(3, 0, 1, uint32(code)),
  /** @param last the last stream that the server will answer */
  goaway: (code: number, last: number) => frame(7, 0, 0, uint32(last, code)),
  ping: frame(6, 0, 0, Buffer.alloc(8)),
  unknown: frame(0xee, 0, 0, Buffer.alloc(8 * 1024)),
}

/** Answers the first bytes of a client with frames. @param then after them */
export const sends =
  (then: (socket: Socket) => void, ...all: Buffer[]) =>
  (socket: Socket): void => {
    let received = 0
    const onData = (chunk: Buffer): void => {
      received += chunk.length
      if (received < requestBytesMin) return
      socket.off('data', onData)
      socket.write(Buffer.concat([frames.settings, ...all]), () => then(socket))
    }
    socket.on('data', onData)
  }

/** More than the beginning of a connection, which comes before the request. */
const requestBytesMin = 150
