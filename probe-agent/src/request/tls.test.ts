import { once } from 'node:events'
import net from 'node:net'
import tls from 'node:tls'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTrust } from './connect.ts'
import { allowing, ask, resolverOf } from './testing/ask.ts'
import { createCertificates } from './testing/certificates.ts'
import { portOf, startRawServer } from './testing/raw-server.ts'
import { seenCertificate } from './seen-certificate.ts'

const certificates = useOnce(() => createCertificates())
afterAll(() => certificates.remove())

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const resolver = resolverOf({ 'site.example.com': ['127.0.0.1'] })

const serve = async (options: tls.TlsOptions, answer = ok) => {
  const seen: { servername: string | false | null; protocol: string | null; reused: boolean }[] = []
  const server = tls.createServer(options, (socket) => {
    const { servername = '' } = socket
    seen.push({ servername, protocol: socket.getProtocol(), reused: socket.isSessionReused() })
    socket.on('error', () => socket.destroy())
    socket.once('data', () => socket.end(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: portOf(server), seen }
}
const secure = (port: number, host = 'site.example.com', ca = certificates.ca) =>
  ask(`https://${host}:${port}/`, {}, { resolver, trust: createTrust([ca]) })

const july = { from: '20260701000000Z', to: '20260702000000Z' }
const later = { from: '20990701000000Z', to: '20990702000000Z' }

describe('a secure target', () => {
  test('is connected by name and verified, with the expiry of its certificate', async () => {
    const leaf = certificates.leaf('site.example.com')
    const { port, seen } = await serve(leaf)
    const outcome = await secure(port)
    expect(outcome).toMatchObject({
      ok: true,
      status: 200,
      address: '127.0.0.1',
      timings: { dnsMs: expect.any(Number), tlsMs: expect.any(Number) },
    })
    expect(seen).toEqual([{ servername: 'site.example.com', protocol: 'TLSv1.3', reused: false }])
    const days = ((outcome.certificateExpiresAt ?? 0) - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(10)
    expect(outcome.certificate && seenCertificate(outcome.certificate)).toEqual({
      issuer: 'test authority',
      names: ['site.example.com'],
      nameCount: 1,
      validFrom: expect.any(Number),
    })
  })

  test('verifies anew each time: no session is resumed', async () => {
    const { port, seen } = await serve(certificates.leaf('site.example.com'))
    await secure(port)
    const again = await secure(port)
    expect(again.certificateExpiresAt).not.toBeNull()
    expect(seen.map(({ reused }) => reused)).toEqual([false, false])
  })

  test('by IP literal is verified by that address, without a server name', async () => {
    const { port, seen } = await serve(certificates.leaf('127.0.0.1'))
    expect(await secure(port, '127.0.0.1')).toMatchObject({ ok: true })
    expect(seen[0]?.servername).toBe(false)
    const other = await serve(certificates.leaf('127.0.0.2'))
    expect(await secure(other.port, '127.0.0.1')).toMatchObject({ cause: 'certificate_wrong_host' })
  })

  test('with TLS 1.2 and a P-256 certificate is reached', async () => {
    const leaf = certificates.leaf('site.example.com')
    const { port, seen } = await serve({ ...leaf, maxVersion: 'TLSv1.2' })
    expect(await secure(port)).toMatchObject({ ok: true })
    expect(seen[0]?.protocol).toBe('TLSv1.2')
  })
})

describe('a certificate is valid for the same hosts as in Node', () => {
  const hosts = ['site.example.com', 'deep.site.example.com', 'example.com', '127.0.0.1']
  test.each<[alternatives: string, own: string]>([
    ['DNS:site.example.com', 'other'],
    ['DNS:other.example.com,DNS:Site.Example.COM', 'other'],
    ['DNS:*.example.com', 'other'],
    ['DNS:*.example.com,DNS:example.com,IP:127.0.0.1', 'other'],
    ['DNS:other.example.com', 'site.example.com'],
    ['IP:127.0.0.1', 'site.example.com'],
    ['email:a@example.com', 'site.example.com'],
    ['URI:http://a/DNS:site.example.com', 'other'],
    ['', 'site.example.com'],
    ['', 'other'],
  ])('with %j of %s', async (alternatives, own) => {
    const { port } = await serve(certificates.leaf(own, null, alternatives))
    const names = Object.fromEntries(hosts.map((host) => [host, ['127.0.0.1']]))
    const [ours, nodes] = [new Set<string>(), new Set<string>()]
    for (const host of hosts) {
      const trust = createTrust([certificates.ca])
      const outcome = await ask(`https://${host}:${port}/`, {}, { resolver: resolverOf(names), trust })
      if (outcome.ok) ours.add(host)
      else expect(outcome.cause).toBe('certificate_wrong_host')
      if (await isNodes(port, host)) nodes.add(host)
    }
    expect(ours).toEqual(nodes)
  })

  const isNodes = async (port: number, host: string): Promise<boolean> => {
    const servername = net.isIP(host) === 0 ? host : ''
    const options = { host: '127.0.0.1', port, ca: certificates.ca, rejectUnauthorized: false }
    const socket = tls.connect({ ...options, servername })
    await once(socket, 'secureConnect')
    socket.destroy()
    return socket.authorized
  }
})

describe('TLS faults have distinct causes', () => {
  const expectFailure = async (port: number, cause: string, ca?: string) => {
    const outcome = await secure(port, 'site.example.com', ca)
    expect(outcome).toMatchObject({
      ok: false,
      cause,
      fault: 'target',
      timings: { connectMs: expect.any(Number), tlsMs: null },
    })
    return outcome
  }

  test('an expired certificate, whose expiry is still read', async () => {
    const { port } = await serve(certificates.leaf('site.example.com', july))
    const outcome = await expectFailure(port, 'certificate_expired')
    expect(outcome.certificateExpiresAt).toBe(Date.parse('2026-07-02T00:00:00Z'))
  })

  test('a certificate that is not valid yet', async () => {
    const { port } = await serve(certificates.leaf('site.example.com', later))
    await expectFailure(port, 'certificate_not_yet_valid')
  })

  test('a certificate for another host', async () => {
    const { port } = await serve(certificates.leaf('other.example.com'))
    await expectFailure(port, 'certificate_wrong_host')
  })

  test('a self-signed certificate', async () => {
    const { port } = await serve(certificates.selfSigned('site.example.com'))
    await expectFailure(port, 'certificate_self_signed')
  })

  test('a certificate of an untrusted authority', async () => {
    const stranger = createCertificates()
    onTestFinished(stranger.remove)
    const { port } = await serve(certificates.leaf('site.example.com'))
    await expectFailure(port, 'certificate_untrusted', stranger.ca)
  })

  test('a single certificate that links to its issuer’s', async () => {
    const stranger = createCertificates()
    onTestFinished(stranger.remove)
    const where = 'authorityInfoAccess=caIssuers;URI:http://ca.example.com/ca.der'
    const leaf = certificates.leaf('site.example.com', null, `DNS:site.example.com\n${where}`)
    const { port } = await serve(leaf)
    await expectFailure(port, 'certificate_chain_incomplete', stranger.ca)
  })

  test('only old versions of TLS', async () => {
    const leaf = certificates.leaf('site.example.com')
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const
    const { port } = await serve({ ...leaf, ...old })
    await expectFailure(port, 'tls_version')
  })

  test('no TLS at all', async () => {
    const server = await startRawServer(() => undefined)
    onTestFinished(server.close)
    const plain = net.createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    })
    plain.listen(0, '127.0.0.1')
    await once(plain, 'listening')
    onTestFinished(() => void plain.close())
    await expectFailure(portOf(plain), 'tls_not_spoken')
  })

  test('a connection that closes in the handshake', async () => {
    const server = net.createServer((socket) => socket.once('data', () => socket.destroy()))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    await expectFailure(portOf(server), 'connection_reset')
  })

  test('a handshake that stalls', async () => {
    const deadline = new AbortController()
    const reach = (): void => deadline.abort(new DOMException('reached', 'TimeoutError'))
    const server = net.createServer((socket) => {
      socket.on('error', () => socket.destroy())
      // the first message of the handshake has arrived
      socket.once('data', reach)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const outcome = await ask(
      `https://127.0.0.1:${portOf(server)}/`,
      { deadlineMs: 150, signal: deadline.signal },
      { allow: allowing('127.0.0.0/8') },
    )
    expect(outcome).toMatchObject({ cause: 'tls_timeout', fault: 'target' })
  })
})
