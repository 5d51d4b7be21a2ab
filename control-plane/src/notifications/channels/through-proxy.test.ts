import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allowNothing } from '@probe-mesh/contracts/target/address'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import { startConnectProxy, type ConnectProxy } from '@probe-mesh/infra/testing/connect-proxy'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import {
  createCertificates,
  type Certificates,
} from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { networkEnvironment, openNetwork } from '@probe-mesh/runtime/network'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createVault } from '../../secrets/vault.ts'
import type { Resolver } from '../outgoing/resolve.ts'
import { createChannelSender } from './channel-sender.ts'
import { channelOwner } from './sealed-config.ts'

/** A channel of a control plane in a company's network. The proxy leads every address to the receiver. */

const folder = testFolder('through-proxy-')
const vault = createVault('the secrets key of the tests, 32 characters')
const name = 'hooks.example.com'
const address = '93.184.216.34'
let certificates: Certificates
let receiver: ReturnType<typeof createServer>
let port: number
let received: string[] = []
let proxy: ConnectProxy

beforeAll(async () => {
  certificates = createCertificates()
  writeFileSync(join(folder, 'ca.pem'), certificates.ca)
  receiver = createServer(certificates.leaf(name), (request, response) => {
    received.push(`${request.method} ${request.headers.host}`)
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  port = (receiver.address() as AddressInfo).port
  proxy = await startConnectProxy()
})
afterAll(async () => {
  receiver?.closeAllConnections()
  receiver?.close()
  await proxy?.close()
  certificates?.remove()
})
beforeEach(() => {
  received = []
})

const resolving = (...ipv4: string[]): Resolver => ({
  resolve4: async () => ipv4,
  resolve6: async () => [],
})
const unknown = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }))
const nobody: Resolver = { resolve4: unknown, resolve6: unknown }

type Given = {
  environment?: Record<string, string>
  resolver?: Resolver
  url?: string
  namesAtProxy?: string[]
  trusts?: boolean
}
const send = ({ environment, resolver, url, namesAtProxy, trusts = true }: Given = {}) => {
  const certificates = networkEnvironment.CA_FILE.read(trusts ? join(folder, 'ca.pem') : null)
  if (!certificates.ok) throw new Error(certificates.problems.join())
  const network = openNetwork(environment ?? { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url }, {
    certificates: certificates.value,
    ...(namesAtProxy !== undefined && { namesAtProxy }),
  })
  const owner = { accountId: '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70', id: 'c' }
  const sender = createChannelSender({
    rules: { targetAllow: allowNothing, channelAllow: null, blockedTargets: denyNothing, network },
    resolver: resolver ?? resolving(address),
    vault,
    now: Date.now,
  })
  const config = JSON.stringify({ url: url ?? `https://${name}:${port}/x` })
  const message = {
    event: 'test' as const,
    title: 't',
    text: 't',
    facts: [],
    url: 'https://example.org/',
    at: '2026-11-20T12:00:00.000Z',
    alertKey: 'k',
  }
  return sender.send(
    { ...owner, isOperators: false, type: 'json', credential: vault.seal(config, channelOwner(owner)) },
    { id: 'delivery-1', message },
    AbortSignal.timeout(20_000),
  )
}
/** Of the proxy, since the test began. */
const asking = (of: ConnectProxy = proxy) => {
  const before = of.asked.length
  return () => of.asked.slice(before)
}
const startProxy = async (options: Parameters<typeof startConnectProxy>[0]): Promise<ConnectProxy> => {
  const started = await startConnectProxy(options)
  onTestFinished(started.close)
  return started
}

test('the proxy gets the address that was checked, and the receiver its name', async () => {
  const asked = asking()
  expect(await send()).toMatchObject({ ok: true, httpStatus: 204 })
  expect(asked()).toEqual([`CONNECT ${address}:${port}`])
  expect(received).toEqual([`POST ${name}:${port}`])
})

test('the proxy resolves a name that the operator names in PROXY_NAMES', async () => {
  const asked = asking()
  expect(await send({ resolver: nobody, namesAtProxy: ['example.com'] })).toMatchObject({ ok: true })
  expect(asked()).toEqual([`CONNECT ${name}:${port}`])
  expect(await send({ resolver: nobody, namesAtProxy: ['other.com'] })).toMatchObject({
    ok: false,
    detail: 'the host name does not exist',
  })
})

test.each([
  ['a name with a private address', 'https://hooks.example.com/', ['10.0.0.1']],
  ['a name with a public and a private address', 'https://hooks.example.com/', [address, '10.0.0.1']],
  ['a private address', 'https://10.0.0.1/', []],
  ['the metadata service', 'https://169.254.169.254/', []],
  ['a private address in IPv6', 'https://[fd00::1]/', []],
])('%s never reaches the proxy', async (_, url, ipv4) => {
  const asked = asking()
  const sent = await send({ url, resolver: resolving(...ipv4), namesAtProxy: ['other.com'] })
  expect(sent).toMatchObject({ ok: false, kind: 'unsafe', next: 'fail' })
  expect(asked()).toEqual([])
})

test('an address is never a name of PROXY_NAMES, not even with *', async () => {
  const asked = asking()
  const sent = await send({ url: 'https://10.0.0.1/', namesAtProxy: ['*', '10.0.0.1'] })
  expect(sent).toMatchObject({ ok: false, kind: 'unsafe' })
  expect(asked()).toEqual([])
})

test('sends the name and password of the proxy', async () => {
  const guarded = await startProxy({ credentials: 'ann:p@ss%' })
  const HTTPS_PROXY = guarded.url.replace('//', '//ann:p%40ss%25@')
  expect(await send({ environment: { HTTPS_PROXY } })).toMatchObject({ ok: true })
})

test('says that the proxy refuses, and what to set', async () => {
  const guarded = await startProxy({ credentials: 'ann:secret' })
  expect(await send({ environment: { HTTPS_PROXY: guarded.url } })).toMatchObject({
    ok: false,
    next: 'retry',
    kind: 'network',
    detail:
      'the proxy of HTTPS_PROXY wants a name and a password (407): set HTTPS_PROXY=http://name:password@host:port',
  })
  const refusing = await startProxy({ refuses: 403 })
  expect(await send({ environment: { https_proxy: refusing.url } })).toMatchObject({
    ok: false,
    detail:
      'the proxy of https_proxy refuses this host (403): allow the host there, or name it in NO_PROXY if it is reached without a proxy',
  })
  expect(await send({ environment: { HTTPS_PROXY: 'http://127.0.0.1:9' } })).toMatchObject({
    ok: false,
    detail: 'the proxy of HTTPS_PROXY does not answer: check HTTPS_PROXY',
  })
})

test('a certificate of an unknown issuer names CA_FILE', async () => {
  expect(await send({ trusts: false })).toMatchObject({
    ok: false,
    detail: 'the certificate is from an unknown issuer: name a PEM file with the issuer in CA_FILE',
  })
})
