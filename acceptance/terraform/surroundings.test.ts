import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  createCertificates,
  type Certificates,
} from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startForwardProxy, type ForwardProxy } from '../cli/testing/forward-proxy.ts'
import { outsideAddress, passTo } from '../cli/testing/front-server.ts'
import { buildProvider, openTerraformFolder, type BuiltProvider, type Ran } from './testing/run-terraform.ts'
import { expectOk, flat, head, startPlane, type Plane } from './testing/stage.ts'

/** The provider in a company's network: a proxy, and a private authority in the system's store. */

const patience = { timeout: 180_000 }
const address = outsideAddress

let plane: Plane
let built: BuiltProvider
let certificates: Certificates
let proxy: ForwardProxy
let secure: Server
const folder = testFolder('surroundings-')
let apiKey: string
beforeAll(async () => {
  if (address === undefined) throw new Error('this machine needs an IPv4 address beside its loopback')
  ;[built, plane, proxy] = await Promise.all([buildProvider(), startPlane(), startForwardProxy()])
  apiKey = (await plane.at.account('growth')).writeKey
  certificates = createCertificates()
  await mkdir(join(folder, 'empty'))
  await writeFile(join(folder, 'store.pem'), certificates.ca)
  secure = createServer(certificates.leaf(address), passTo(plane.apiUrl)).listen(0, address)
  await once(secure, 'listening')
}, 120_000)
afterAll(async () => {
  secure?.closeAllConnections()
  secure?.close()
  await Promise.all([proxy?.close(), plane?.at.close(), built?.close()])
  certificates?.remove()
})
beforeEach(() => {
  proxy.requests.length = 0
})

const hostOf = (): string => `${address}:${(secure.address() as AddressInfo).port}`
const plan = async (environment: Record<string, string>): Promise<Ran> => {
  const own = await openTerraformFolder({
    providerFolder: built.folder,
    environment: {
      SERVICE_API_KEY: apiKey,
      SERVICE_API_URL: `https://${hostOf()}/v1`,
      SSL_CERT_DIR: join(folder, 'empty'),
      ...environment,
    },
  })
  try {
    await own.write(`${head}resource "service_check" "web" {
  name = "web"
  url = "https://web.example.com/"
}
`)
    return await own.terraform('plan')
  } finally {
    await own.close()
  }
}
const inStore = () => ({ SSL_CERT_FILE: join(folder, 'store.pem') })

test('reaches the API through the proxy, and trusts the authority in the store', patience, async () => {
  expectOk(await plan({ HTTPS_PROXY: proxy.url, ...inStore() }))
  expect(proxy.requests[0]).toBe(`CONNECT ${hostOf()}`)
})

test('goes past the proxy for a host in NO_PROXY', patience, async () => {
  expectOk(await plan({ HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: String(address), ...inStore() }))
  expect(proxy.requests).toEqual([])
})

test('names a proxy that does not answer, and an issuer that is not in the store', patience, async () => {
  const dead = await plan({ HTTPS_PROXY: 'http://user:hidden@127.0.0.1:9', ...inStore() })
  expect(dead.exitCode).toBe(1)
  expect(flat(dead)).toContain('through the proxy of HTTPS_PROXY at 127.0.0.1:9: ')
  expect(flat(dead)).not.toContain('hidden')
  const unknown = await plan({ SSL_CERT_FILE: '/nonexistent' })
  expect(unknown.exitCode).toBe(1)
  expect(flat(unknown)).toContain('its certificate is from an issuer that this machine does not trust')
})
