import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { refusalOfError } from './refusal-of-error.ts'
import { useTestApp } from '../app/testing/test-app.ts'

let port: number
const ended: string[] = []
let reading = Promise.withResolvers<void>()

const at = useTestApp(() => ({
  serve: (app) => {
    app.addHook('preParsing', async () => reading.resolve())
    app.addHook('onError', async (_request, _reply, error) => void ended.push(error.message))
  },
}))
beforeAll(async () => {
  await at.app.listen({ port: 0, host: '127.0.0.1' })
  port = (at.app.server.address() as AddressInfo).port
})
beforeEach(() => {
  ended.length = 0
  reading = Promise.withResolvers()
  at.logged.length = 0
})

test.each([
  '/v1/checks',
  '/relay/readings?partition=0&messageId=x',
  '/api/1/envelope/?sentry_key=0123456789abcdef0123456789abcdef',
])('a client that disconnects while it sends %s is not logged as an error', async (path) => {
  const { writeKey } = await at.account('scale')
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${writeKey}\r\n`
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"name":`)
  await reading.promise
  socket.destroy()
  await vi.waitFor(() => expect(ended).toContain('aborted'))
  expect(at.logged.filter((line) => line.includes('"level":50'))).toEqual([])
})

test('a database that resets its connection is logged as an error', () => {
  const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  expect(refusalOfError(lost)).toMatchObject({ ours: true, refusal: { status: 503 } })
})
