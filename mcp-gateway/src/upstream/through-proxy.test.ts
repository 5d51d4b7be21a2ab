import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { startConnectProxy } from '@probe-mesh/infra/testing/connect-proxy'
import { createCertificates } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { openNetwork } from '@probe-mesh/runtime/network'
import { expect, onTestFinished, test } from 'vitest'
import { connectControlPlane } from './control-plane.ts'

test('calls the control plane through a proxy with a password, and trusts CA_FILE', async () => {
  const certificates = createCertificates()
  const server = createServer(certificates.leaf('mesh.example.org'), (request, response) => {
    response.end(`${request.method} ${request.url}`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = await startConnectProxy({ credentials: 'ann:p@ss' })
  const { port } = server.address() as AddressInfo
  const controlPlane = connectControlPlane({
    apiUrl: `https://mesh.example.org:${port}/v1`,
    gatewayKey: 'key',
    network: openNetwork(
      { HTTPS_PROXY: proxy.url.replace('//', '//ann:p%40ss@') },
      { certificates: [certificates.ca] },
    ),
  })
  onTestFinished(async () => {
    await controlPlane.close()
    server.closeAllConnections()
    server.close()
    await proxy.close()
    certificates.remove()
  })
  const caller = { authorization: null, address: '127.0.0.1' }
  expect(await controlPlane.call({ method: 'GET', path: '/checks', body: null }, caller)).toMatchObject({
    status: 200,
    body: 'GET /v1/checks',
  })
  expect(await controlPlane.readiness()).toBe('ready')
  expect(proxy.asked[0]).toBe(`CONNECT mesh.example.org:${port}`)
})
