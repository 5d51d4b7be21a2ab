import { once } from 'node:events'
import { connect } from 'node:net'

/** One kept connection that asks one request after another. */
export type Asker = {
  /** @param request a whole HTTP/1.1 request @returns the status of its answer */
  send(request: Buffer): Promise<number>
  close(): void
}

/**
 * As little of HTTP as our own server's answers need, so that the server and not the client is what
 * a core is spent on: each has a `content-length`.
 */
export const openAsker = async (port: number): Promise<Asker> => {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  await once(socket, 'connect')
  let waiting: { resolve: (status: number) => void; reject: (error: Error) => void } | null = null
  let head: Buffer = Buffer.alloc(0)
  let status = 0
  let left = 0
  const done = (): void => {
    const answered = waiting
    waiting = null
    answered?.resolve(status)
  }
  socket.on('data', (chunk: Buffer) => {
    if (left > 0) {
      left -= chunk.length
      if (left === 0) done()
      return
    }
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end === -1) return
    const text = head.toString('latin1', 0, end)
    status = Number(text.slice(9, 12))
    left = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1]) - (head.length - end - 4)
    head = Buffer.alloc(0)
    if (left === 0) done()
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
