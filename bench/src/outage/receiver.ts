import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { closeServer } from './close-server.ts'

/** Receives the webhooks of all accounts, each at its own path. */
export type Receiver = {
  url(path: string): string
  /** When the first alert arrived whole at a path, Unix ms; null: none yet. */
  alertedAt(path: string): number | null
  close(): Promise<void>
}

export const startReceiver = async (): Promise<Receiver> => {
  const alerted = new Map<string, number>()
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const at = Date.now()
      const path = request.url ?? '/'
      const { type }: { type?: unknown } = JSON.parse(body)
      if (type === 'alert' && !alerted.has(path)) alerted.set(path, at)
      response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    alertedAt: (path) => alerted.get(path) ?? null,
    close: () => closeServer(server),
  }
}
