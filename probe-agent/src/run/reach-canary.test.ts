import { once } from 'node:events'
import net from 'node:net'
import tls from 'node:tls'
import { afterAll, afterEach, expect, test } from 'vitest'
import { createTrust } from '../request/connect.ts'
import { resolverOf } from '../request/testing/ask.ts'
import { createCertificates } from '../request/testing/certificates.ts'
import { portOf } from '../request/testing/raw-server.ts'
import { createReach } from './reach-canary.ts'

/** For results that come at once: a handshake may take long on a busy machine. */
const timeoutMs = 20_000
const certificates = createCertificates()
const servers: net.Server[] = []
afterAll(() => certificates.remove())
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

const listening = async <S extends net.Server>(server: S): Promise<number> => {
  servers.push(server)
  server.on('connection', (socket) => socket.on('error', () => socket.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return portOf(server)
}
const secure = (pair: { key: string; cert: string }) => listening(tls.createServer(pair))
const reachOver = (httpsPort: number, names: Record<string, string[] | string> = {}) =>
  createReach({
    resolver: resolverOf(names),
    trust: createTrust([certificates.ca]),
    httpsPort,
  })

test('a canary with a valid certificate is reached', async () => {
  const port = await secure(certificates.leaf('localhost'))
  const reach = reachOver(port, { localhost: ['127.0.0.1'] })
  expect(await reach({ host: 'localhost', port }, timeoutMs)).toBe(true)
})

test('a host without its certificate does not count as the canary', async () => {
  const port = await secure(certificates.selfSigned('localhost'))
  const reach = reachOver(port, { localhost: ['127.0.0.1'] })
  expect(await reach({ host: 'localhost', port }, timeoutMs)).toBe(false)
})

test('a network that accepts connections without data does not count as the internet', async () => {
  const port = await listening(net.createServer())
  const reach = reachOver(port, { localhost: ['127.0.0.1'] })
  expect(await reach({ host: 'localhost', port }, 1_000)).toBe(false)
})

test.each(['ENOTFOUND', 'ESERVFAIL', 'ETIMEOUT'])(
  'a resolver that answers %s for a canary does not reach it',
  async (code) => {
    const port = await secure(certificates.leaf('localhost'))
    expect(await reachOver(port, { localhost: code })({ host: 'localhost', port }, timeoutMs)).toBe(false)
  },
)

test('on other ports a connection is enough, and a refused one is not', async () => {
  const server = net.createServer()
  const port = await listening(server)
  const reach = reachOver(1)
  expect(await reach({ host: '127.0.0.1', port }, timeoutMs)).toBe(true)
  server.close()
  await once(server, 'close')
  expect(await reach({ host: '127.0.0.1', port }, timeoutMs)).toBe(false)
})
