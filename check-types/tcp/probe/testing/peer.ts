import { once } from 'node:events'
import net, { type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { portOf } from '@probe-mesh/probe-agent/src/request/testing/raw-server'

/** A TCP server for one test, with what it received. */
export type Peer = {
  port: number
  connections: number
  /** All received data, of all connections. */
  received: string
  /** Resolves when a connection has ended, with whether it was reset. */
  ended: Promise<'closed' | 'reset'>
}

/** @param talk called once per connection, after the TCP handshake */
export const startPeer = async (
  talk: (socket: Socket) => void = () => undefined,
  host = '127.0.0.1',
): Promise<Peer> => {
  const sockets = new Set<Socket>()
  const ended = Promise.withResolvers<'closed' | 'reset'>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    peer.connections += 1
    socket.on('data', (chunk: Buffer) => {
      peer.received += chunk.toString('utf8')
    })
    socket.on('error', () => ended.resolve('reset'))
    socket.on('close', () => {
      sockets.delete(socket)
      ended.resolve('closed')
    })
    talk(socket)
  })
  const peer: Peer = { port: 0, connections: 0, received: '', ended: ended.promise }
  server.listen(0, host)
  await once(server, 'listening')
  peer.port = portOf(server)
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return peer
}

/** A loopback port without a listener. */
export const closedPort = async (): Promise<number> => {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  server.close()
  await once(server, 'close')
  return port
}

/** Repeats a chunk while the other side reads, up to 50 MB. */
export const flood =
  (chunk: Buffer | string, first = '') =>
  (socket: Socket): void => {
    const bytesMax = 50 * 1024 * 1024
    const fill = (): void => {
      while (!socket.destroyed && socket.bytesWritten < bytesMax && socket.write(chunk));
    }
    socket.on('drain', fill)
    socket.write(first)
    fill()
  }

/** Sends one byte every 20 ms, repeating the text. @param onFifth called after five of them */
export const drip =
  (text: string, first = '', onFifth: () => void = () => undefined) =>
  (socket: Socket): void => {
    socket.write(first)
    let sent = 0
    const timer = setInterval(() => {
      socket.write(text[sent % text.length] ?? '')
      sent += 1
      if (sent === 5) onFifth()
    }, 20)
    socket.on('close', () => clearInterval(timer))
  }
