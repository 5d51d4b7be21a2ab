import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** Limit of all received bytes, frames included: a head of 16 KB, a page and a few settings fit. */
const receivedBytesMax = 96 * 1024

/** The bytes that show which protocol a server uses. */
const firstBytesMax = 5

export type Meter = {
  /** For the HTTP/2 session, which would take all bytes of the socket unseen. */
  stream: Duplex
  received(): number
}

/**
 * Counts what a session receives: a server can send frames without end that no event shows.
 * @param onFirst called with the first bytes, up to 5, as they come
 * @param onFull called once, at the limit; nothing more is passed on
 */
export const createMeter = (
  socket: Socket,
  { onFirst, onFull }: { onFirst(first: Buffer): void; onFull(): void },
): Meter => {
  let received = 0
  let first: Buffer = Buffer.alloc(0)
  const stream = new Duplex({
    read: () => void socket.resume(),
    write: (chunk: Buffer, _, done) => void socket.write(chunk, (error) => done(error)),
    final: (done) => void socket.end(() => done()),
    destroy: (error, done) => {
      socket.destroy()
      done(error)
    },
  })
  socket.on('data', (chunk: Buffer) => {
    const before = received
    received += chunk.length
    if (before < firstBytesMax) {
      first = Buffer.concat([first, chunk.subarray(0, firstBytesMax - before)])
      onFirst(first)
    }
    if (stream.destroyed) return
    if (received > receivedBytesMax) {
      socket.pause()
      onFull()
    } else if (!stream.push(chunk)) socket.pause()
  })
  socket.once('end', () => stream.push(null))
  socket.once('close', () => stream.destroy())
  return { stream, received: () => received }
}
