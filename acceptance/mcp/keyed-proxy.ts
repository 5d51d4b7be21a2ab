import { once } from 'node:events'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A proxy for clients that cannot send a key, or that must not depend on one gateway. Forwards every request
 * unchanged, with a key if given.
 */
export const startKeyedProxy = async (options: {
  /** The ports of gateways in the order to try, called for every request. */
  ports: () => readonly number[]
  key: string | null
}): Promise<{ url: string; close(): void }> => {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const headers = {
      ...incoming.headers,
      ...(options.key === null ? {} : { authorization: `Bearer ${options.key}` }),
    }
    for (const port of options.ports()) {
      const { method = 'GET', url: path = '/' } = incoming
      const answered = await new Promise<boolean>((resolve) => {
        const upstream = send({ host: '127.0.0.1', port, method, path, headers, agent: false })
        upstream.on('response', (response) => {
          outgoing.writeHead(response.statusCode ?? 502, response.headers)
          response.pipe(outgoing)
          response.on('end', () => resolve(true))
        })
        upstream.on('error', () => resolve(false))
        upstream.end(Buffer.concat(chunks))
      })
      if (answered) return
    }
    outgoing.writeHead(502).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
