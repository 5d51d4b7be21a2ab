import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { startBalancer } from './balancer.ts'
import { freePorts } from './free-ports.ts'

const servers: Server[] = []
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

const serve = async (listener: RequestListener): Promise<number> => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
const balance = async (...ports: number[]): Promise<string> => {
  const balancer = await startBalancer(ports)
  closers.push(balancer.close)
  return balancer.url
}

test('forwards whole requests to the servers in turn', async () => {
  const echo = (name: string) =>
    serve(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      response.writeHead(201, { 'x-name': name }).end(`${request.method} ${request.url} ${body}`)
    })
  const url = await balance(await echo('one'), await echo('two'))
  const names: (string | null)[] = []
  for (let n = 0; n < 3; n++) {
    const answer = await fetch(`${url}/path?n=${n}`, { method: 'POST', body: 'abc' })
    expect([answer.status, await answer.text()]).toEqual([201, `POST /path?n=${n} abc`])
    names.push(answer.headers.get('x-name'))
  }
  expect(names).toEqual(['one', 'two', 'one'])
})

test('forwards a stream event by event, and closes it on the server when the client leaves', async () => {
  let left = false
  const url = await balance(
    await serve((_request, response) => {
      response.write('first')
      response.on('close', () => {
        left = true
      })
    }),
  )
  const stop = new AbortController()
  const answer = await fetch(url, { signal: stop.signal })
  const first = await answer.body?.getReader().read()
  expect(new TextDecoder().decode(first?.value)).toBe('first')
  stop.abort()
  await vi.waitFor(() => expect(left).toBe(true))
})

test('answers 502 for an unreachable server', async () => {
  const url = await balance(...(await freePorts(1)))
  expect((await fetch(url)).status).toBe(502)
})
