import { createHash, X509Certificate } from 'node:crypto'
import { parseDenyList } from '@probe-mesh/contracts/src/target/deny-list'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { createTrust } from '@probe-mesh/probe-agent/src/request/connect'
import { allowing, resolverOf } from '@probe-mesh/probe-agent/src/request/testing/ask'
import { createCertificates } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { afterAll, describe, expect, test } from 'vitest'
import { TcpSettings } from '../settings.ts'
import { down, probe, up } from './testing/probing-tcp.ts'
import { startTlsPeer, type TlsScript } from './testing/tls-peer.ts'

const certificates = useOnce(() => createCertificates())
const other = useOnce(() => createCertificates())
const leaf = useOnce(() => certificates.leaf('db.localhost'))
afterAll(() => {
  certificates.remove()
  other.remove()
})

/** A root of the agent signs what `certificates` has; the certificates of `other` are of nobody. */
const trusting = useOnce(() => ({ trust: createTrust([certificates.ca]) }))
const tcpTls = { host: 'db.localhost', security: 'tls' } as const
const ask = async (script: TlsScript, settings: Partial<TcpSettings> = {}) => {
  const peer = await startTlsPeer(script)
  const probed = await probe({ ...tcpTls, ...settings, port: peer.port }, {}, trusting)
  return { ...probed, peer }
}

const pinOf = (pem: string): string => {
  const der = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' })
  return `sha256//${createHash('sha256').update(der).digest('base64')}`
}
const fingerprintOf = (pem: string): string => new X509Certificate(pem).fingerprint256
const past = { from: '20260101000000Z', to: '20260102000000Z' }
const future = { from: '20990101000000Z', to: '20990201000000Z' }

describe('TLS of a tcp check', () => {
  test.each<[what: string, pair: () => TlsScript['tls'], cause: string, reason: string]>([
    [
      'has expired',
      () => certificates.leaf('db.localhost', past),
      'certificate_expired',
      'the certificate has expired',
    ],
    [
      'is not valid yet',
      () => certificates.leaf('db.localhost', future),
      'certificate_not_yet_valid',
      'the certificate is not valid yet',
    ],
    [
      'has another name',
      () => certificates.leaf('other.localhost'),
      'certificate_wrong_host',
      'the certificate is for another host name',
    ],
    [
      'is self-signed',
      () => certificates.selfSigned('db.localhost'),
      'certificate_self_signed',
      'the certificate is self-signed',
    ],
    [
      'is of an unknown authority',
      () => other.leaf('db.localhost'),
      'certificate_untrusted',
      'the certificate has no trusted issuer',
    ],
  ])('whose certificate %s is down, with its expiry', async (_, pair, cause, reason) => {
    const { judgement, trace } = await ask({ tls: pair() ?? {} })
    expect(judgement).toEqual(down(cause, reason))
    expect(trace.certificateExpiresAt).not.toBeNull()
  })

  test('at a server that speaks no TLS is down', async () => {
    const { judgement } = await ask({ greeting: '220 ready\r\n', replies: [''] })
    expect(judgement).toEqual(down('tls_not_spoken', 'the server does not use TLS on this port'))
  })

  test('at a server with TLS 1.0 alone is down', async () => {
    const old = { ...leaf, minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' } as const
    const { judgement } = await ask({ tls: old })
    expect(judgement).toEqual(down('tls_version', 'the server offers no secure TLS version'))
  })

  test('sends and expects its texts over TLS', async () => {
    const { judgement, peer } = await ask(
      { tls: leaf, inside: '* OK ready\r\n' },
      { send: 'PING\r\n', expect: '* OK' },
    )
    expect(judgement).toEqual(up)
    await peer.ended
    expect(peer.secured).toBe('PING\r\n')
    expect(peer.received).not.toContain('PING')
  })

  test('says what came instead of the expected text', async () => {
    const { judgement } = await ask(
      { tls: leaf, inside: (socket) => void socket.end('* BYE\r\n') },
      { expect: '* OK' },
    )
    expect(judgement).toEqual(down('expect_mismatch', 'expected to receive "* OK", got "* BYE  "'))
  })

  test('asks for no name at an address, and verifies the address', async () => {
    const { judgement, peer } = await ask({ tls: certificates.leaf('127.0.0.1') }, { host: '127.0.0.1' })
    expect(judgement).toEqual(up)
    expect(peer.names).toEqual([])
    const named = await ask({ tls: leaf }, { host: '127.0.0.1' })
    expect(named.judgement).toMatchObject({ cause: 'certificate_wrong_host' })
  })

  test('asks at no host for the name of a site that opted out', async () => {
    const parsed = parseDenyList(['no.example.com'])
    if (!parsed.ok) throw new Error(parsed.problems.join())
    const peer = await startTlsPeer({ tls: leaf })
    const settings = { ...tcpTls, serverName: 'www.NO.example.com', port: peer.port }
    const { judgement } = await probe(settings, {}, { ...trusting, deny: parsed.deny })
    expect(judgement).toMatchObject({ verdict: 'unmeasured', cause: 'target_denied' })
    expect(peer.names).toEqual([])
  })

  test('asks for its own name at any host, and verifies that one', async () => {
    const { judgement, peer } = await ask({ tls: leaf }, { host: '127.0.0.1', serverName: 'db.localhost' })
    expect(judgement).toEqual(up)
    expect(peer.names).toEqual(['db.localhost'])
    const wrong = await ask({ tls: leaf }, { serverName: 'other.localhost' })
    expect(wrong.judgement).toEqual(
      down('certificate_wrong_host', 'the certificate is for another host name'),
    )
  })

  test('connects to allowed addresses only', async () => {
    const peer = await startTlsPeer({ tls: leaf })
    const resolver = resolverOf({ 'db.example.org': ['127.0.0.1'] })
    const inside = { allow: allowing('192.0.2.0/24'), resolver }
    const { judgement } = await probe(
      { host: 'db.example.org', security: 'tls', port: peer.port },
      {},
      inside,
    )
    expect(judgement).toMatchObject({ verdict: 'unmeasured', cause: 'unsafe_target' })
    expect(peer.connections).toBe(0)
  })
})

describe('own authorities of a tcp check', () => {
  test('replace those of the agent', async () => {
    const ofOther = await ask({ tls: other.leaf('db.localhost') }, { caCertificates: other.ca })
    expect(ofOther.judgement).toEqual(up)
    const ofAgent = await ask({ tls: leaf }, { caCertificates: other.ca })
    expect(ofAgent.judgement).toEqual(down('certificate_untrusted', 'the certificate has no trusted issuer'))
  })

  test('may be several, with text around them', async () => {
    const both = `Bag Attributes\n${certificates.ca}\nSubject: other\n${other.ca}`
    expect((await ask({ tls: other.leaf('db.localhost') }, { caCertificates: both })).judgement).toEqual(up)
    expect((await ask({ tls: leaf }, { caCertificates: both })).judgement).toEqual(up)
  })

  test('may be the self-signed certificate itself, whose name and dates still count', async () => {
    const own = certificates.selfSigned('db.localhost')
    expect((await ask({ tls: own }, { caCertificates: own.cert })).judgement).toEqual(up)
    const named = await ask({ tls: own }, { caCertificates: own.cert, serverName: 'other.localhost' })
    expect(named.judgement).toMatchObject({ cause: 'certificate_wrong_host' })
    const another = await ask({ tls: certificates.selfSigned('db.localhost') }, { caCertificates: own.cert })
    expect(another.judgement).toMatchObject({ verdict: 'down', cause: 'certificate_self_signed' })
  })

  test('may be a certificate that is no root', async () => {
    const { judgement } = await ask({ tls: leaf }, { caCertificates: leaf.cert })
    expect(judgement).toEqual(up)
  })

  test('that cannot be read are a fault of the probe, and nothing is sent', async () => {
    const broken = certificates.ca.replaceAll(/[A-Za-z0-9+/]{60,}/g, 'AAAA')
    const { judgement, peer } = await ask({ tls: leaf }, { caCertificates: broken })
    expect(judgement).toMatchObject({ verdict: 'unmeasured', cause: 'ca_unusable' })
    expect(peer.received).toBe('')
  })
})

describe('pins of a tcp check', () => {
  test.each<[string, () => string[]]>([
    ['the public key', () => [pinOf(leaf.cert)]],
    ['the public key with one slash', () => [pinOf(leaf.cert).replace('//', '/')]],
    ['the certificate', () => [fingerprintOf(leaf.cert)]],
    ['the certificate as openssl prints it', () => [`sha256 Fingerprint=${fingerprintOf(leaf.cert)}`]],
    ['the certificate without colons', () => [fingerprintOf(leaf.cert).replaceAll(':', '').toLowerCase()]],
    ['one of several', () => [pinOf(other.ca), pinOf(leaf.cert)]],
  ])('match %s', async (_, pins) => {
    expect((await ask({ tls: leaf }, { pins: pins() })).judgement).toEqual(up)
  })

  test('of another certificate make it down, with the key that was seen', async () => {
    const { judgement } = await ask({ tls: leaf }, { pins: [pinOf(other.ca), fingerprintOf(other.ca)] })
    const reason = `the certificate is not pinned; its public key is ${pinOf(leaf.cert)}`
    expect(judgement).toEqual(down('certificate_not_pinned', reason))
  })

  test('replace no authority: an unknown one is down before', async () => {
    const unknown = other.leaf('db.localhost')
    const { judgement } = await ask({ tls: unknown }, { pins: [pinOf(unknown.cert)] })
    expect(judgement).toMatchObject({ cause: 'certificate_untrusted' })
  })
})

test.each([
  [9, up],
  [11, down('expires_soon', 'the certificate expires in 9 days; the limit is 11 days')],
])('a limit of %i days at a certificate of ten', async (certificateDaysMin, expected) => {
  const { judgement } = await ask({ tls: leaf }, { certificateDaysMin })
  expect(judgement).toEqual(expected)
})

test.each([
  'sha256//short=',
  'sha1//2jmj7l5rSw0yVb/vlWAYkK/YBwk=',
  'AA:BB',
  'z'.repeat(64),
  `${'a'.repeat(64)}\n`.repeat(2),
  'sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU',
])('%j is no pin', (pin) => {
  expect(TcpSettings.safeParse({ host: 'a', port: 1, pins: [pin] }).success).toBe(false)
})

test.each(['127.0.0.1', '::1', 'a b', "a'b", '-a', 'a..b', '', 'a>b', 'ü.example.com', '*.example.com'])(
  '%j is no name for TLS',
  (serverName) => {
    expect(TcpSettings.safeParse({ host: 'a', port: 1, serverName }).success).toBe(false)
  },
)
