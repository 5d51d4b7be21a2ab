import { once } from 'node:events'
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Forwards each request to the next of several servers, like the load balancer in front of control planes.
 * Streams pass event by event.
 */
export const startBalancer = async (
  ports: readonly number[],
): Promise<{ url: string; close(): Promise<void> }> => {
  let turn = 0
  const pass = (request: IncomingMessage, response: ServerResponse): void => {
    const port = ports[turn++ % ports.length]
    const { method, url, headers } = request
    const onward = send({ host: '127.0.0.1', port, method, path: url, headers, agent: false })
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      answer.pipe(response)
      answer.on('error', () => response.destroy())
    })
    onward.on('error', () => {
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    })
    // A client that leaves a stream closes both sides.
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  }
  const server = createServer(pass)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
