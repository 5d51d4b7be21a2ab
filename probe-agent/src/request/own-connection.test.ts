import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import type { RequestOptions } from '@probe-mesh/contracts/check/request-options'
import { parseDenyList } from '@probe-mesh/contracts/src/target/deny-list'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTrust, withClientCertificate } from './connect.ts'
import type { RequestCapabilities } from './hop.ts'
import { plainGet } from './message.ts'
import { ownConnection } from './own-connection.ts'
import { allowing, ask, resolverOf } from './testing/ask.ts'
import { createCertificates, type KeyPair } from './testing/certificates.ts'
import { portOf } from './testing/raw-server.ts'

const certificates = useOnce(() => createCertificates())
const other = useOnce(() => createCertificates())
const leaf = useOnce(() => certificates.leaf('shop.example.com'))
afterAll(() => {
  certificates.remove()
  other.remove()
})

type Seen = { host: string | undefined; name: string | false | null | undefined; path: string | undefined }

/** A server that says who was asked for; `/to?URL` redirects. */
const serve = async (pair?: KeyPair & https.ServerOptions) => {
  const seen: Seen[] = []
  const answer: http.RequestListener = (message, response) => {
    const { servername } = message.socket as { servername?: string | false }
    seen.push({ host: message.headers.host, name: servername, path: message.url })
    const to = /^\/to\?(.*)$/.exec(message.url ?? '')?.[1]
    if (to === undefined) response.end('ok')
    else response.writeHead(302, { location: decodeURIComponent(to) }).end()
  }
  const server = pair === undefined ? http.createServer(answer) : https.createServer(pair, answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: portOf(server), seen }
}

const names = {
  'shop.example.com': ['203.0.113.1'],
  'here.example.com': ['127.0.0.1'],
  'in.example.com': ['10.0.0.1'],
}
const run = (url: string, options: RequestOptions, more: Partial<RequestCapabilities> = {}) =>
  ask(
    url,
    { connection: ownConnection(url, options), deadlineMs: 5_000 },
    { resolver: resolverOf(names), trust: createTrust([certificates.ca]), ...more },
  )

describe('a request that is connected elsewhere', () => {
  test.each([
    ['an address and a port', (port: number) => `127.0.0.1:${port}`],
    ['a name and a port', (port: number) => `here.example.com:${port}`],
    ['a name with a dot at its end', (port: number) => `here.example.com.:${port}`],
  ])('goes to %s, with Host, SNI and certificate of its URL', async (_, to) => {
    const { port, seen } = await serve(leaf)
    const outcome = await run('https://shop.example.com/health', { connectTo: to(port) })
    expect(outcome).toMatchObject({ ok: true, status: 200, address: '127.0.0.1' })
    expect(seen).toEqual([{ host: 'shop.example.com', name: 'shop.example.com', path: '/health' }])
  })

  test('keeps the port of its URL without another', async () => {
    const { port, seen } = await serve()
    expect(await run(`http://shop.example.com:${port}/`, { connectTo: '127.0.0.1' })).toMatchObject({
      ok: true,
    })
    expect(seen).toMatchObject([{ host: `shop.example.com:${port}` }])
  })

  test.each([
    ['an address that is not public', '10.0.0.1:443'],
    ['a metadata address', '169.254.169.254'],
    ['a private IPv6 address', '[fd00::1]:443'],
    ['an IPv6 address of an IPv4 one', '::ffff:10.0.0.1'],
    ['an address in another spelling', '0x0a000001'],
    ['localhost', 'localhost:443'],
    ['an internal name', 'db.internal'],
    ['a name with a private address', 'in.example.com:443'],
    ['a port of another protocol', '93.184.216.34:5432'],
    ['the port 0', '93.184.216.34:0'],
    ['a port that is none', '93.184.216.34:70000'],
    ['a URL', 'https://here.example.com'],
    ['a user name', 'me@here.example.com'],
    ['nothing', ':443'],
  ])('is never sent to %s, and that is no fault of the target', async (_, connectTo) => {
    const outcome = await run('https://shop.example.com/', { connectTo }, { allow: allowing('192.0.2.0/24') })
    expect(outcome).toMatchObject({ ok: false, cause: 'unsafe_target', fault: 'probe' })
  })

  test('counts as a connection to the address that is dialled', async () => {
    const spent: string[] = []
    const spend = (address: string): boolean => {
      spent.push(address)
      return false
    }
    const outcome = await run('https://shop.example.com/', { connectTo: '93.184.216.34' }, { spend })
    expect(outcome).toMatchObject({ cause: 'target_budget' })
    expect(spent).toEqual(['93.184.216.34'])
  })

  test('is down when its name does not exist, whatever the host of the URL has', async () => {
    const outcome = await run('https://shop.example.com/', { connectTo: 'gone.example.com' })
    expect(outcome).toMatchObject({ cause: 'dns_not_found', fault: 'target', unresolved: 'gone.example.com' })
  })

  test.each<[string, RequestOptions]>([
    ['its URL', { connectTo: '127.0.0.1' }],
    ['the connected host', { connectTo: 'no.example.com' }],
    ['the Host header', { connectTo: '127.0.0.1', hostHeader: 'No.example.com:8080' }],
    ['the Host header with a dot', { connectTo: '127.0.0.1', hostHeader: 'www.no.example.com.' }],
    ['an address in the Host header', { connectTo: '127.0.0.1', hostHeader: '[2001:db8::1]:80' }],
    ['the name for TLS', { connectTo: '127.0.0.1', serverName: 'no.example.com' }],
  ])('is not sent to a site that opted out: by %s', async (what, options) => {
    const parsed = parseDenyList(['no.example.com', '2001:db8::/32'])
    if (!parsed.ok) throw new Error(parsed.problems.join())
    const url = what === 'its URL' ? 'https://no.example.com/' : 'https://shop.example.com/'
    expect(await run(url, options, { deny: parsed.deny })).toMatchObject({
      cause: 'target_denied',
      fault: 'probe',
    })
  })

  test('speaks HTTP/2 to the same place where a server has nothing else', async () => {
    const hosts: unknown[] = []
    const server = http2.createSecureServer({ ...leaf, allowHTTP1: false }, (message, response) => {
      hosts.push(message.authority)
      response.end('ok')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const options = { connectTo: `127.0.0.1:${portOf(server)}`, hostHeader: 'www.example.com' }
    expect(await run('https://shop.example.com/', options)).toMatchObject({ ok: true, status: 200 })
    expect(hosts).toEqual(['www.example.com'])
  })
})

describe('the redirects of such a request', () => {
  test('to its own scheme, host and port are connected the same way', async () => {
    const { port, seen } = await serve(leaf)
    const to = { connectTo: `127.0.0.1:${port}`, hostHeader: 'www.example.com', pins: [keyOf(leaf.cert)] }
    const outcome = await run('https://shop.example.com/to?%2Fhealth', to)
    expect(outcome).toMatchObject({ ok: true, status: 200, hops: 1 })
    expect(seen).toMatchObject([{ host: 'www.example.com' }, { host: 'www.example.com', path: '/health' }])
  })

  test.each([
    ['another host', (port: number) => `http://here.example.com:${port}/`],
    ['another port', () => 'http://shop.example.com:8081/'],
    ['another scheme', () => 'https://shop.example.com/'],
  ])('to %s are not', async (_, target) => {
    const first = await serve()
    const second = await serve()
    const location = target(second.port)
    const url = `http://shop.example.com/to?${encodeURIComponent(location)}`
    const options = { connectTo: `127.0.0.1:${first.port}`, hostHeader: 'www.example.com' }
    const outcome = await run(url, options, {
      allow: allowing('127.0.0.0/8'),
      resolver: resolverOf({ ...names, 'shop.example.com': ['127.0.0.9'] }),
    })
    expect(first.seen).toHaveLength(1)
    expect(outcome.leftOut).toEqual(['connectTo', 'hostHeader'])
    expect(outcome.notes).toContain('a redirect to another origin was followed without connectTo, hostHeader')
    if (location.includes('here')) {
      expect(outcome).toMatchObject({ ok: true, hops: 1 })
      expect(second.seen).toMatchObject([{ host: `here.example.com:${second.port}` }])
    } else expect(outcome).toMatchObject({ ok: false, address: '127.0.0.9', hops: 1 })
  })

  test('to another origin have neither its authorities nor its pins', async () => {
    const second = await serve(certificates.leaf('here.example.com'))
    const first = await serve(other.leaf('shop.example.com'))
    const location = `https://here.example.com:${second.port}/`
    const options = {
      connectTo: `127.0.0.1:${first.port}`,
      caCertificates: other.ca,
      pins: [keyOf(other.ca)],
    }
    const url = `https://shop.example.com/to?${encodeURIComponent(location)}`
    expect(await run(url, { ...options, pins: undefined })).toMatchObject({
      ok: true,
      hops: 1,
      leftOut: ['connectTo', 'caCertificates'],
    })
    expect(await run(url, options)).toMatchObject({ ok: false, cause: 'certificate_not_pinned', hops: 0 })
  })
})

test('a redirect that leaves its origin again and again is named once', async () => {
  const target = 'http://here.example.com'
  const there = await serve()
  const here = await serve()
  const chain = [`${target}:${there.port}`, 'http://shop.example.com', `${target}:${there.port}`, 'ok']
  const url = chain.reduceRight(
    (rest, at) => (at === 'ok' ? '/' : `${at}/to?${encodeURIComponent(rest)}`),
    '/',
  )
  const options = { connectTo: `127.0.0.1:${here.port}` }
  const outcome = await run(`http://shop.example.com/to?${encodeURIComponent(url)}`, options)
  expect(outcome).toMatchObject({ ok: true, hops: 4, leftOut: ['connectTo'] })
  expect(outcome.notes).toHaveLength(1)
})

const keyOf = (pem: string): string => {
  const der = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' })
  return `sha256//${createHash('sha256').update(der).digest('base64')}`
}

describe('Host, SNI and certificate of an http check', () => {
  test('a Host of its own changes neither SNI nor the name of the certificate', async () => {
    const { port, seen } = await serve(leaf)
    const to = { connectTo: `127.0.0.1:${port}`, hostHeader: 'www.example.com:8443' }
    expect(await run('https://shop.example.com/', to)).toMatchObject({ ok: true, leftOut: [], notes: [] })
    expect(seen).toMatchObject([{ host: 'www.example.com:8443', name: 'shop.example.com' }])
  })

  test('a site behind an address is asked for by Host, as curl -H Host does', async () => {
    const { port, seen } = await serve()
    expect(await run(`http://127.0.0.1:${port}/`, { hostHeader: 'www.example.com' })).toMatchObject({
      ok: true,
    })
    expect(seen).toMatchObject([{ host: 'www.example.com' }])
  })

  test('a name for TLS is asked for and must be in the certificate', async () => {
    const { port, seen } = await serve(leaf)
    const url = `https://127.0.0.1:${port}/`
    expect(await run(url, {})).toMatchObject({ cause: 'certificate_wrong_host' })
    expect(await run(url, { serverName: 'shop.example.com' })).toMatchObject({ ok: true })
    expect(seen).toMatchObject([{ name: 'shop.example.com', host: `127.0.0.1:${port}` }])
    const wrong = await run(url, { serverName: 'www.example.com' })
    expect(wrong).toMatchObject({ cause: 'certificate_wrong_host', fault: 'target' })
  })

  test('an address in the URL is verified as that, wherever it is connected', async () => {
    const { port } = await serve(certificates.leaf('127.0.0.1'))
    const options = { connectTo: `127.0.0.1:${port}` }
    expect(await run('https://93.184.216.34/', options)).toMatchObject({ cause: 'certificate_wrong_host' })
    const named = await serve(certificates.leaf('93.184.216.34'))
    expect(await run('https://93.184.216.34/', { connectTo: `127.0.0.1:${named.port}` })).toMatchObject({
      ok: true,
    })
  })

  test('own authorities replace those of the agent', async () => {
    const ofOther = await serve(other.leaf('shop.example.com'))
    const to = (port: number) => ({ connectTo: `127.0.0.1:${port}`, caCertificates: other.ca })
    expect(await run('https://shop.example.com/', to(ofOther.port))).toMatchObject({ ok: true })
    const { port } = await serve(leaf)
    const refused = await run('https://shop.example.com/', to(port))
    expect(refused).toMatchObject({ cause: 'certificate_untrusted', fault: 'target' })
    expect(refused.certificateExpiresAt).not.toBeNull()
  })

  test('own authorities hold for a request with a client certificate', async () => {
    const server = { ...other.leaf('shop.example.com'), requestCert: true, ca: certificates.ca }
    const { port } = await serve(server)
    const trust = withClientCertificate(createTrust([other.ca]), { certificate: leaf.cert, key: leaf.key })
    const own = { fields: [], accept: null, cookie: null, trust }
    const url = 'https://shop.example.com/'
    const connection = ownConnection(url, { connectTo: `127.0.0.1:${port}`, caCertificates: other.ca })
    const outcome = await ask(url, { connection, message: { ...plainGet, own } })
    expect(outcome).toMatchObject({ ok: true })
  })

  test('a pin must match, by the key or by the certificate', async () => {
    const { port } = await serve(leaf)
    const pinned = (...pins: string[]) =>
      run('https://shop.example.com/', { connectTo: `127.0.0.1:${port}`, pins })
    expect(await pinned(keyOf(leaf.cert))).toMatchObject({ ok: true })
    expect(await pinned(keyOf(other.ca), new X509Certificate(leaf.cert).fingerprint256)).toMatchObject({
      ok: true,
    })
    expect(await pinned(keyOf(other.ca))).toMatchObject({
      cause: 'certificate_not_pinned',
      fault: 'target',
      reason: `the certificate is not pinned; its public key is ${keyOf(leaf.cert)}`,
    })
  })
})
