import { createServer, request } from 'node:http'
import { connect, type Server, type Socket } from 'node:net'
import { pipeline } from 'node:stream'

/** A forward proxy for apt and npm, with absolute URLs and CONNECT. */
export const serveForwardProxy = (listener: Server): { close(): void } => {
  const sockets = new Set<Socket>()
  const http = createServer((incoming, answer) => {
    const { method, headers } = incoming
    const onward = request(incoming.url ?? '', { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      pipeline(response, answer, () => {})
    })
    onward.once('error', () => answer.destroy())
    pipeline(incoming, onward, () => {})
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
