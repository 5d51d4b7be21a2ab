import type { Duplex } from 'node:stream'
import type { Guard } from '../../request/guard.ts'
import { dial } from './dial.ts'
import { connectUrlOf } from './proxy-headers.ts'
import type { ProxyRun } from './proxy-run.ts'

const reasons = { 400: 'Bad Request', 403: 'Forbidden', 407: 'Authentication', 502: 'Bad Gateway' }

/** Answers CONNECT with a no and ends the connection. @param header lines that end with CRLF */
export const refuseTunnel = (socket: Duplex, status: keyof typeof reasons, header = ''): void => {
  const end = 'Content-Length: 0\r\nConnection: close\r\n\r\n'
  socket.end(`HTTP/1.1 ${status} ${reasons[status]}\r\n${header}${end}`)
}

/** CONNECT: bytes both ways between the page and a target, counted, until either ends. */
export const tunnel = async (
  asked: { authority: string; socket: Duplex; head: Buffer; idleMsMax: number },
  run: ProxyRun,
  guard: Guard,
): Promise<void> => {
  const { socket, head, idleMsMax } = asked
  const url = connectUrlOf(asked.authority)
  if (url === null) return refuseTunnel(socket, 400)
  const dialled = await dial(url, run, guard)
  if (!dialled.ok) return refuseTunnel(socket, dialled.why === 'failed' ? 502 : 403)
  const upstream = dialled.socket
  if (socket.destroyed) return void upstream.destroy()
  const end = (): void => {
    socket.destroy()
    upstream.destroy()
  }
  upstream.on('error', end)
  upstream.once('close', end)
  socket.once('close', end)
  upstream.setTimeout(idleMsMax, end)
  socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
  if (head.length > 0) upstream.write(head)
  socket.on('data', (chunk: Buffer) => run.count(chunk.length))
  upstream.on('data', (chunk: Buffer) => run.count(chunk.length))
  socket.pipe(upstream)
  upstream.pipe(socket)
}
