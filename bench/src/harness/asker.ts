import { once } from 'node:events'
import { connect } from 'node:net'

/** One kept connection that sends one request after another. */
type Asker = {
  /** @param request a whole HTTP/1.1 request @returns the status of the response */
  send(request: Buffer): Promise<number>
  close(): void
}

const endOfChunks = Buffer.from('\r\n0\r\n\r\n')

/**
 * Reads as little of HTTP as our own servers need (`content-length`, or chunks), so that the server is the
 * bottleneck and not the client.
 */
export const openAsker = async (port: number): Promise<Asker> => {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  await once(socket, 'connect')
  let waiting: { resolve: (status: number) => void; reject: (error: Error) => void } | null = null
  let head: Buffer = Buffer.alloc(0)
  let status = 0
  /** Bytes to come; null between responses, infinite while chunks come. */
  let left: number | null = null
  let tail: Buffer = Buffer.alloc(0)
  const take = (body: Buffer): void => {
    if (left === null) return
    left -= body.length
    if (left === Number.POSITIVE_INFINITY) {
      tail = Buffer.concat([tail, body]).subarray(-endOfChunks.length)
      if (!tail.equals(endOfChunks)) return
    } else if (left > 0) return
    left = null
    const answered = waiting
    waiting = null
    answered?.resolve(status)
  }
  socket.on('data', (chunk: Buffer) => {
    if (left !== null) return take(chunk)
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end === -1) return
    const text = head.toString('latin1', 0, end)
    const body = head.subarray(end + 4)
    status = Number(text.slice(9, 12))
    left = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? Number.POSITIVE_INFINITY)
    // an empty body in chunks ends right after the head
    tail = Buffer.from('\r\n')
    head = Buffer.alloc(0)
    take(body)
  })
  const fail = (error: Error): void => waiting?.reject(error)
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the server closed the connection')))
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(request)
      }),
    close: () => socket.destroy(),
  }
}
