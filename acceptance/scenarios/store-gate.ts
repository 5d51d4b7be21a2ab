import { once } from 'node:events'
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy to ClickHouse that a test can close. */
export type StoreGate = {
  /** The same database, through the gate. */
  readonly url: string
  /** `readings`: requests about readings fail, so that a control plane starts without history. */
  close(what: 'readings' | 'all'): void
  open(): void
  end(): Promise<void>
}

export const startStoreGate = async (storeUrl: string): Promise<StoreGate> => {
  const store = new URL(storeUrl)
  let closed: 'nothing' | 'readings' | 'all' = 'nothing'
  const isClosedTo = (path: string, body: Buffer): boolean =>
    closed === 'all' || (closed === 'readings' && (path.includes('readings_') || body.includes('readings_')))

  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await bodyOf(incoming)
    const path = incoming.url ?? '/'
    if (isClosedTo(path, body)) {
      incoming.socket.resetAndDestroy()
      return
    }
    const { method, headers } = incoming
    const onward = send({ host: store.hostname, port: store.port, method, path, headers })
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('error', () => outgoing.destroy())
      answer.pipe(outgoing)
    })
    onward.on('error', () => incoming.socket.destroy())
    onward.end(body)
  }
  const gate = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => incoming.socket.destroy())
  })
  gate.listen(0, '127.0.0.1')
  await once(gate, 'listening')
  const url = new URL(storeUrl)
  url.hostname = '127.0.0.1'
  url.port = String((gate.address() as AddressInfo).port)
  return {
    url: url.href,
    close: (what) => {
      closed = what
    },
    open: () => {
      closed = 'nothing'
    },
    end: async () => {
      gate.close()
      gate.closeAllConnections()
      await once(gate, 'close')
    },
  }
}

const bodyOf = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
