import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startProxy, type Proxy } from './proxy.ts'

let echo: Server
let proxy: Proxy
let accepted: Socket[] = []
const clients: Socket[] = []

beforeEach(async () => {
  accepted = []
  echo = createServer((socket) => {
    accepted.push(socket)
    socket.on('error', () => {})
    socket.pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(echo, 'listening')
  proxy = await startProxy((echo.address() as AddressInfo).port)
})
afterEach(async () => {
  for (const socket of [...clients.splice(0), ...accepted]) socket.destroy()
  await proxy.close()
  echo.close()
})

/** Opens a connection through the proxy and records its data and its end. */
const open = () => {
  const socket = connect({ host: '127.0.0.1', port: proxy.port })
  clients.push(socket)
  const seen = { received: '', ended: '' }
  socket.on('data', (chunk) => {
    seen.received += String(chunk)
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    seen.ended = error.code ?? error.message
  })
  return { socket, seen }
}

/** Waits much longer than dropped data would have taken, measured past the proxy. */
const roundTrips = async (count: number): Promise<void> => {
  const socket = connect((echo.address() as AddressInfo).port, '127.0.0.1')
  clients.push(socket)
  for (let n = 0; n < count; n++) {
    socket.write('x')
    await once(socket, 'data')
  }
}

test('forwards data in both directions', async () => {
  const { socket, seen } = open()
  socket.write('hello')
  await vi.waitFor(() => expect(seen.received).toBe('hello'))
})

test('drops data silently as a black hole, and resets its connections at the end', async () => {
  const before = open()
  before.socket.write('one')
  await vi.waitFor(() => expect(before.seen.received).toBe('one'))
  proxy.blackhole()
  before.socket.write('two')
  const during = open()
  during.socket.write('three')
  await once(during.socket, 'connect')
  for (const socket of accepted) socket.write('four')
  await roundTrips(20)
  expect([before.seen, during.seen]).toEqual([
    { received: 'one', ended: '' },
    { received: '', ended: '' },
  ])
  proxy.pass()
  await vi.waitFor(() => expect([before.seen.ended, during.seen.ended]).toEqual(['ECONNRESET', 'ECONNRESET']))
  expect([before.seen.received, during.seen.received]).toEqual(['one', ''])
  const after = open()
  after.socket.write('five')
  await vi.waitFor(() => expect(after.seen.received).toBe('five'))
})

test('resets open and new connections when it refuses', async () => {
  const before = open()
  before.socket.write('one')
  await vi.waitFor(() => expect(before.seen.received).toBe('one'))
  proxy.refuse()
  const during = open()
  await vi.waitFor(() => expect([before.seen.ended, during.seen.ended]).toEqual(['ECONNRESET', 'ECONNRESET']))
  proxy.pass()
  const after = open()
  after.socket.write('two')
  await vi.waitFor(() => expect(after.seen.received).toBe('two'))
})
