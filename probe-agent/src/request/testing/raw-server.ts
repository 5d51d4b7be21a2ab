import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'

/** A TCP server with exact bytes: faults that no HTTP library would send. */
export type RawServer = {
  port: number
  /** The heads of the requests received, in order. */
  requests: string[]
  close(): Promise<void>
}

/** @param answer called once per connection, when the request's head is complete */
export const startRawServer = async (
  answer: (socket: Socket, head: string) => void,
  host = '127.0.0.1',
): Promise<RawServer> => {
  const sockets = new Set<Socket>()
  const requests: string[] = []
  const server = net.createServer((socket) => {
    sockets.add(socket)
    let head = ''
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (chunk: Buffer) => {
      if (head.endsWith('\r\n\r\n')) return
      head += chunk.toString('latin1')
      const end = head.indexOf('\r\n\r\n')
      if (end === -1) return
      // the rest is a body
      head = head.slice(0, end + 4)
      requests.push(head)
      answer(socket, head)
    })
  })
  server.listen(0, host)
  await once(server, 'listening')
  return {
    port: portOf(server),
    requests,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The port of a server that listens on TCP. */
export const portOf = (server: { address(): AddressInfo | string | null }): number => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no TCP server')
  return address.port
}
