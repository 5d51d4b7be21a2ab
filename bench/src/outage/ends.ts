import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

type End = { url(path: string): string; close(): Promise<void> }

const listen = async (listener: RequestListener): Promise<End> => {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** A web site whose paths can fail one by one, and that records when each failed first. */
export type FailingSite = End & {
  /** Makes a path fail from now on. */
  fail(path: string): void
  /** When the first byte of the first failing answer was written, Unix ms; null: not yet. */
  firstFailedAt(path: string): number | null
}

export const startFailingSite = async (): Promise<FailingSite> => {
  const firstFailed = new Map<string, number | null>()
  const end = await listen((request, response) => {
    const path = request.url ?? '/'
    const first = firstFailed.get(path)
    if (first === undefined) return void response.end('ok')
    response.statusCode = 503
    if (first === null) firstFailed.set(path, Date.now())
    response.end('unavailable')
  })
  return {
    ...end,
    fail: (path) => void firstFailed.set(path, null),
    firstFailedAt: (path) => firstFailed.get(path) ?? null,
  }
}

/** Receives the webhooks of all accounts, each at its own path. */
export type Receiver = End & {
  /** When the first alert arrived whole at a path, Unix ms; null: none yet. */
  alertedAt(path: string): number | null
}

export const startReceiver = async (): Promise<Receiver> => {
  const alerted = new Map<string, number>()
  const end = await listen((request, response) => {
    void text(request).then((body) => {
      const at = Date.now()
      const path = request.url ?? '/'
      const { type }: { type?: unknown } = JSON.parse(body)
      if (type === 'alert' && !alerted.has(path)) alerted.set(path, at)
      response.end()
    })
  })
  return { ...end, alertedAt: (path) => alerted.get(path) ?? null }
}
