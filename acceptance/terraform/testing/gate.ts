import { once } from 'node:events'
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Awaited before the n-th POST that writes, from 1, continues. If it throws, the connection breaks. */
export type GateStops = {
  /** Before the request reaches the API. */
  request?: (n: number) => Promise<unknown>
  /** Before the answer reaches the client. */
  answer?: (n: number) => Promise<unknown>
  /** Before a DELETE reaches the API, and before its answer reaches the client. */
  deletion?: (when: 'before' | 'after') => Promise<unknown>
}

/** A proxy to the API on which a test can stop requests and answers. */
export type Gate = {
  /** The URL of the API, with its path. */
  readonly apiUrl: string
  /** The `Idempotency-Key` of each POST that writes, in the order they came. */
  readonly keys: readonly string[]
  close(): Promise<void>
}

/** While the API is unavailable, the gate resets connections. */
export const startGate = async (targetPort: number, stops: GateStops): Promise<Gate> => {
  const keys: string[] = []
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url: path, headers } = request
    const isWrite = method === 'POST' && path !== '/v1/checks/plan'
    const n = isWrite ? keys.push(String(headers['idempotency-key'])) : null
    if (n !== null) await stops.request?.(n)
    if (method === 'DELETE') await stops.deletion?.('before')
    const onward = send({
      host: '127.0.0.1',
      port: targetPort,
      method,
      path,
      headers,
      agent: false,
    })
    request.pipe(onward)
    const [answer] = (await once(onward, 'response')) as [IncomingMessage]
    if (n !== null) await stops.answer?.(n)
    if (method === 'DELETE') await stops.deletion?.('after')
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.on('error', () => response.destroy())
    answer.pipe(response)
  }
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    apiUrl: `http://127.0.0.1:${port}/v1`,
    keys,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
