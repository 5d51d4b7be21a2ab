import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'

type Answer = string | ((response: ServerResponse, request: IncomingMessage) => void)

/** A web site on 127.0.0.1 with the given pages; a text is HTML. */
export type Site = {
  readonly port: number
  url(path?: string): string
  /** The requests that arrived. */
  readonly requests: IncomingMessage[]
  close(): Promise<void>
}

export const startSite = async (pages: Record<string, Answer>): Promise<Site> => {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    const answer = pages[(request.url ?? '').split('?')[0] ?? '']
    if (answer === undefined) response.writeHead(404).end('nothing here')
    else if (typeof answer === 'function') answer(response, request)
    else response.setHeader('content-type', 'text/html; charset=utf-8').end(answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: (path = '/') => `http://127.0.0.1:${port}${path}`,
    requests,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A forbidden machine: it counts everything that arrives over TCP and UDP, on one port. */
export type ForbiddenHost = {
  readonly port: number
  readonly host: string
  readonly contacts: number
  close(): Promise<void>
}

export const startForbiddenHost = async (host = '127.0.0.2'): Promise<ForbiddenHost> => {
  let contacts = 0
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    contacts += 1
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
  })
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const udp = createSocket('udp4')
  udp.on('message', () => {
    contacts += 1
  })
  udp.bind(port, host)
  await once(udp, 'listening')
  return {
    host,
    port,
    get contacts() {
      return contacts
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      udp.close()
      server.close()
      await once(server, 'close')
    },
  }
}
