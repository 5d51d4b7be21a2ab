import { once } from 'node:events'
import net from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { portOf } from '@probe-mesh/probe-agent/src/request/testing/raw-server'
import { hangUp } from './hang-up.ts'
import { flood } from './testing/peer.ts'

const connectTo = async (talk: (socket: net.Socket) => void) => {
  const accepted = Promise.withResolvers<net.Socket>()
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    talk(socket)
    accepted.resolve(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = net.connect({ host: '127.0.0.1', port: portOf(server) })
  client.on('error', () => undefined)
  await once(client, 'connect')
  const peer = await accepted.promise
  onTestFinished(() => {
    peer.destroy()
    server.close()
  })
  return { client, peer }
}

test('the last command arrives before the end', async () => {
  const { client, peer } = await connectTo(() => undefined)
  hangUp(client, 'QUIT\r\n')
  expect((await peer.toArray()).join('')).toBe('QUIT\r\n')
})

test('a peer that never closes its side does not keep the connection open', async () => {
  const { client, peer } = await connectTo(() => undefined)
  peer.resume()
  const closed = once(client, 'close')
  hangUp(client)
  await closed
  expect(client.destroyed).toBe(true)
})

test('a peer that floods during that time is cut off', async () => {
  const { client, peer } = await connectTo(flood(Buffer.alloc(64 * 1024)))
  const closed = once(client, 'close')
  hangUp(client)
  await closed
  expect(client.bytesRead).toBeLessThan(1024 * 1024)
  expect(peer.bytesWritten).toBeLessThan(50 * 1024 * 1024)
})

test('a closed connection is left alone', async () => {
  const { client } = await connectTo(() => undefined)
  client.destroy()
  hangUp(client, 'QUIT\r\n')
  expect(client.listenerCount('data')).toBe(0)
})
