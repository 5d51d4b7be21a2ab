import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { openAsker } from './asker.ts'

test('reads responses of a known length, in chunks and without a body, one after another', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/none') return void response.writeHead(503, { 'content-length': 0 }).end()
    if (request.url === '/length') return void response.end('a'.repeat(100_000))
    if (request.url === '/empty-chunks') {
      response.flushHeaders()
      return void response.end()
    }
    response.writeHead(201)
    response.write('first')
    setImmediate(() => response.end('b'.repeat(100_000)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const asker = await openAsker((server.address() as AddressInfo).port)
  const statuses: number[] = []
  for (const path of ['/length', '/chunks', '/none', '/empty-chunks', '/chunks', '/length']) {
    statuses.push(await asker.send(Buffer.from(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)))
  }
  expect(statuses).toEqual([200, 201, 503, 200, 201, 200])
  asker.close()
  server.close()
})
