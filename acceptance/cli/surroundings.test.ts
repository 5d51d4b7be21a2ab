import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer as createPlain, type Server } from 'node:http'
import { createServer as createSecure } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  startTestApp,
  type TestAccount,
  type TestApp,
} from '@probe-mesh/control-plane/src/app/testing/test-app'
import {
  createCertificates,
  type Certificates,
} from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startForwardProxy, type ForwardProxy } from './testing/forward-proxy.ts'
import { outsideAddress, passTo } from './testing/front-server.ts'
import { runService, type Ran } from './testing/run-service.ts'

/** The command line in a company's network: a proxy, and a private authority in the system's store. */

const script = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url))
const address = outsideAddress

let at: TestApp
let account: TestAccount
let certificates: Certificates
let proxy: ForwardProxy
let secure: Server
let plain: Server
const folder = testFolder('surroundings-')

beforeAll(async () => {
  if (address === undefined) throw new Error('this machine needs an IPv4 address beside its loopback')
  at = await startTestApp()
  account = await at.account('growth')
  const apiUrl = await at.app.listen({ host: '127.0.0.1', port: 0 })
  certificates = createCertificates()
  await mkdir(join(folder, 'empty'))
  await writeFile(join(folder, 'store.pem'), certificates.ca)
  const front = passTo(apiUrl)
  secure = createSecure(certificates.leaf(address), front).listen(0, address)
  plain = createPlain(front).listen(0, address)
  await Promise.all([once(secure, 'listening'), once(plain, 'listening')])
  proxy = await startForwardProxy()
})
afterAll(async () => {
  for (const server of [secure, plain]) {
    server?.closeAllConnections()
    server?.close()
  }
  await Promise.all([proxy?.close(), at?.close(), rm(folder, { recursive: true, force: true })])
  certificates?.remove()
})
beforeEach(() => {
  proxy.requests.length = 0
})

const hostOf = (server: Server): string => `${address}:${(server.address() as AddressInfo).port}`
const run = (
  line: string,
  environment: Record<string, string>,
  more: { isEndedAfterLine?: boolean } = {},
): Promise<Ran> =>
  runService(script, line.split(' '), {
    node: process.execPath,
    environment: { SERVICE_API_KEY: account.writeKey, SSL_CERT_DIR: join(folder, 'empty'), ...environment },
    ...more,
  })
const inStore = () => ({ SSL_CERT_FILE: join(folder, 'store.pem') })
/** Standard error may say that it takes a while. */
const none = { exitCode: 0, out: 'This account has no checks.\n' }

test('reaches https through the proxy, and trusts the authority in the store', async () => {
  const host = hostOf(secure)
  const ran = await run('status', {
    SERVICE_API_URL: `https://${host}`,
    HTTPS_PROXY: proxy.url,
    ...inStore(),
  })
  expect(ran).toMatchObject(none)
  expect(proxy.requests[0]).toBe(`CONNECT ${host}`)
})

/** Replaces Debian's bundle for one process. */
const inOwnStore = 'mount --bind "$0" /etc/ssl/certs/ca-certificates.crt && exec "$@"'

test('trusts an authority that the machine trusts, without any variable', async () => {
  const command = [execPath, script, 'status']
  const shown = await promisify(execFile)(
    'unshare',
    ['--map-root-user', '--mount', 'sh', '-c', inOwnStore, join(folder, 'store.pem'), ...command],
    {
      env: {
        PATH: process.env['PATH'],
        HOME: '/nonexistent',
        SERVICE_API_URL: `https://${hostOf(secure)}`,
        SERVICE_API_KEY: account.writeKey,
        HTTPS_PROXY: proxy.url,
      },
      timeout: 60_000,
    },
  )
  expect(shown.stdout).toBe(none.out)
})

test('reaches http through the proxy without a tunnel', async () => {
  const host = hostOf(plain)
  expect(await run('status', { SERVICE_API_URL: `http://${host}/v1`, http_proxy: proxy.url })).toMatchObject(
    none,
  )
  expect(proxy.requests[0]).toMatch(/^GET (http:\/\/.*)?\/v1\/checks\?/)
})

test('follows events through the proxy', async () => {
  const environment = { SERVICE_API_URL: `https://${hostOf(secure)}`, HTTPS_PROXY: proxy.url, ...inStore() }
  const { out, exitCode } = await run('top --json', environment, { isEndedAfterLine: true })
  expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({ kind: 'connection', state: 'connected' })
  expect(exitCode).toBe(0)
})

test('goes past the proxy for a host in NO_PROXY', async () => {
  const environment = { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: `${address}`, ...inStore() }
  expect(await run('status', { SERVICE_API_URL: `https://${hostOf(secure)}`, ...environment })).toMatchObject(
    none,
  )
  expect(proxy.requests).toEqual([])
})

test('names the proxy that does not answer, and an issuer that is not in the store', async () => {
  const apiUrl = `https://${hostOf(secure)}/v1`
  const dead = await run('status', { SERVICE_API_URL: apiUrl, HTTPS_PROXY: 'http://user:secret@127.0.0.1:9' })
  expect(dead).toMatchObject({ exitCode: 1, out: '' })
  expect(dead.err).toContain(
    `No answer from ${apiUrl} through the proxy of HTTPS_PROXY at 127.0.0.1:9: connection refused.`,
  )
  expect(dead.err).not.toContain('secret')
  const unknown = await run('status', { SERVICE_API_URL: apiUrl, SSL_CERT_FILE: '/nonexistent' })
  expect(unknown).toMatchObject({ exitCode: 1, out: '' })
  expect(unknown.err).toContain(
    'its certificate is from an issuer that this machine does not trust.\nAdd its issuer',
  )
})
