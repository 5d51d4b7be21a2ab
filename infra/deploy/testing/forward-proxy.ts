import { createServer, request } from 'node:http'
import { connect } from 'node:net'
import type { Server, Socket } from 'node:net'
import { pipeline } from 'node:stream'

/** A proxy of the usual kind, for apt and npm: absolute addresses, and CONNECT. */
export const serveForwardProxy = (listener: Server): { close(): void } => {
  const sockets = new Set<Socket>()
  const http = createServer((asked, answer) => {
    const { method, headers } = asked
    const onward = request(asked.url ?? '', { method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers)
      pipeline(got, answer, () => {})
    })
    onward.once('error', () => answer.destroy())
    pipeline(asked, onward, () => {})
  })
  http.on('connect', ({ url }, socket: Socket) => {
    const { hostname, port } = new URL(`http://${url}`)
    const onward = connect(Number(port === '' ? 80 : port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      pipeline(socket, onward, socket, () => {})
    })
    onward.once('error', () => socket.destroy())
  })
  listener.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    http.emit('connection', socket)
  })
  return {
    close: () => {
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
