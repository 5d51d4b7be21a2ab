import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closeServer } from './close-server.ts'

/** A web site whose paths can fail one by one, and that records when each failed first. */
export type FailingSite = {
  url(path: string): string
  /** Makes a path fail from now on. */
  fail(path: string): void
  /** When the first byte of the first failing answer was written, Unix ms; null: not yet. */
  firstFailedAt(path: string): number | null
  close(): Promise<void>
}

export const startFailingSite = async (): Promise<FailingSite> => {
  const firstFailed = new Map<string, number | null>()
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const first = firstFailed.get(path)
    if (first === undefined) return void response.end('ok')
    response.statusCode = 503
    if (first === null) firstFailed.set(path, Date.now())
    response.end('unavailable')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    fail: (path) => void firstFailed.set(path, null),
    firstFailedAt: (path) => firstFailed.get(path) ?? null,
    close: () => closeServer(server),
  }
}
