import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = { id: string; path: string; headers: IncomingHttpHeaders; body: string }

export type Receiver = {
  url: string
  port: number
  /** All complete requests, in order. */
  received: readonly Received[]
  /** Ids answered with 2xx, in order, with repeats. */
  taken: readonly string[]
  close(): Promise<void>
}

/** A real webhook receiver. @param answer decides the answer; without one it hangs */
export const startReceiver = async (
  answer: (request: Received, response: ServerResponse, count: number) => void,
): Promise<Receiver> => {
  const received: Received[] = []
  const taken: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.once('end', () => {
      const { headers } = request
      const id = String(headers['webhook-id'])
      const one = { id, path: request.url ?? '', headers, body: Buffer.concat(chunks).toString() }
      received.push(one)
      response.once('finish', () => {
        if (response.statusCode >= 200 && response.statusCode < 300) taken.push(id)
      })
      answer(one, response, received.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    taken,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export const ok = (_request: Received, response: ServerResponse): void => {
  response.writeHead(204).end()
}
