import { once } from 'node:events'
import net, { type Socket } from 'node:net'
import { portOf } from '@probe-mesh/probe-agent/src/request/testing/raw-server'
import type { Answer, Case } from '../cases/case.ts'

export type CorpusServer = { port: number; close(): Promise<void> }

/** Plays each case under its own name, such as `c12.example.com`, and names below it. */
export const startCorpusServer = async (cases: readonly Case[]): Promise<CorpusServer> => {
  const sockets = new Set<Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    let head = ''
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (chunk: Buffer) => {
      head += chunk.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      const whole = head
      head = ''
      const number = Number(/^host:\s*(?:[\w-]+\.)*c(\d+)\.example\.com/im.exec(whole)?.[1] ?? -1)
      const path = /^\w+ (\S+)/.exec(whole)?.[1] ?? '/'
      const found = path === '/favicon.ico' ? undefined : cases[number]
      if (found === undefined) socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
      else play(found.answer, socket, path, whole)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: portOf(server),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const play = (answer: Answer, socket: Socket, path: string, head: string): void => {
  if (typeof answer === 'function') {
    answer(socket, { path, head, cookie: /^cookie: (.*)\r$/im.exec(head)?.[1] ?? '' })
  } else if (typeof answer === 'string' || Buffer.isBuffer(answer)) end(socket, answer)
  else {
    const page = answer[path.split('?')[0] ?? '/']
    end(socket, page ?? 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
  }
}

const end = (socket: Socket, answer: string | Buffer): void => {
  if (typeof answer === 'string') socket.end(answer, 'latin1')
  else socket.end(answer)
}
