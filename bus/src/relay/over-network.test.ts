import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startConnectProxy } from '@probe-mesh/infra/testing/connect-proxy'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { createCertificates } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { networkEnvironment, openNetwork, type Network } from '@probe-mesh/runtime/network'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openRelayBus } from './relay-bus.ts'

const folder = testFolder('over-network-')

/** A service with a certificate of a private authority, which only the proxy leads to. */
const startService = async () => {
  const certificates = createCertificates()
  writeFileSync(join(folder, 'ca.pem'), certificates.ca)
  const streams: string[] = []
  const server = createServer(certificates.leaf('mesh.example.org'), (request, response) => {
    streams.push(`${request.url} ${request.headers.authorization}`)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(': hello\n\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    certificates.remove()
  })
  return { streams, url: `https://mesh.example.org:${(server.address() as AddressInfo).port}` }
}

const networkOf = (HTTPS_PROXY: string, trusts: boolean): Network => {
  const read = networkEnvironment.CA_FILE.read(trusts ? join(folder, 'ca.pem') : null)
  return openNetwork({ HTTPS_PROXY }, { certificates: read.ok ? read.value : null })
}

const open = (url: string, network: Network) => {
  const problems: string[] = []
  const warn = (about: object): void => {
    const { err } = about as { err?: Error }
    if (err !== undefined) problems.push(err.message)
  }
  const log = { debug: () => {}, info: () => {}, warn, error: () => {} }
  const bus = openRelayBus({
    url,
    network,
    token: () => 'token',
    region: 'private-0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70',
    version: '1',
    log: log as never,
    random: () => 0.1,
  })
  onTestFinished(() => bus.close())
  const opened = vi.fn<() => void>()
  bus.onReturn(opened)
  return { opened, problems }
}

test("a private agent's stream opens through the proxy, with the authority of CA_FILE", async () => {
  const { url, streams } = await startService()
  const proxy = await startConnectProxy({ credentials: 'ann:secret' })
  onTestFinished(proxy.close)
  const { opened } = open(url, networkOf(proxy.url.replace('//', '//ann:secret@'), true))
  await vi.waitFor(() => expect(opened).toHaveBeenCalled(), { timeout: 10_000 })
  expect(proxy.asked[0]).toBe(`CONNECT ${new URL(url).host}`)
  expect(streams[0]).toMatch(/stream Bearer token$/)
})

test('a private agent says that the proxy wants a password, or that CA_FILE has no issuer', async () => {
  const { url } = await startService()
  const proxy = await startConnectProxy({ credentials: 'ann:secret' })
  onTestFinished(proxy.close)
  const closed = open(url, networkOf(proxy.url, true))
  await vi.waitFor(() => expect(closed.problems[0]).toContain('wants a name and a password (407)'), {
    timeout: 10_000,
  })
  const untrusted = open(url, networkOf(proxy.url.replace('//', '//ann:secret@'), false))
  await vi.waitFor(() => expect(untrusted.problems[0]).toContain('in CA_FILE'), { timeout: 10_000 })
})
