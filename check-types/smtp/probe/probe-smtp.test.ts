import { once } from 'node:events'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTrust } from '@probe-mesh/probe-agent/src/request/connect'
import { allowing, resolverOf } from '@probe-mesh/probe-agent/src/request/testing/ask'
import { createCertificates, type KeyPair } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { portOf } from '@probe-mesh/probe-agent/src/request/testing/raw-server'
import { closedPort, startPeer } from '../../tcp/probe/testing/peer.ts'
import { detailsOf } from '../../tcp/probe/testing/probing.ts'
import { startMailPeer } from './testing/mail-peer.ts'
import { down, probe, up } from './testing/probing-smtp.ts'

const certificates = useOnce(() => createCertificates())
const leaf = useOnce(() => certificates.leaf('mx.localhost'))
const trusting = useOnce(() => ({ trust: createTrust([certificates.ca]) }))
afterAll(() => certificates.remove())

/** A real mail server, with the commands and the mail that it received. */
const serve = async (options: SMTPServerOptions) => {
  const seen = { closed: Promise.withResolvers<string>(), mails: 0, logins: 0 }
  const server = new SMTPServer({
    name: 'mx.example.com',
    banner: 'ready',
    authOptional: true,
    disableReverseLookup: true,
    onMailFrom: (_address, _session, done) => {
      seen.mails += 1
      done()
    },
    onAuth: (_auth, _session, done) => {
      seen.logins += 1
      done(new Error('no'))
    },
    onClose: ({ transmissionType }) => seen.closed.resolve(transmissionType),
    ...options,
  })
  server.on('error', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  onTestFinished(() => new Promise<void>((resolve) => void server.close(resolve)))
  return { port: portOf(server.server), seen }
}

describe('a real mail server', () => {
  test('is up without TLS, with its greeting and its extensions', async () => {
    const { port, seen } = await serve({ ...leaf, hideSTARTTLS: true })
    const probed = await probe({ port })
    expect(probed.judgement).toEqual(up)
    expect(probed.trace).toMatchObject({
      answered: true,
      httpStatus: null,
      address: '127.0.0.1',
      certificateExpiresAt: null,
      timings: {
        connectMs: expect.any(Number),
        tlsMs: null,
        ttfbMs: expect.any(Number),
        transferMs: null,
      },
    })
    const { banner, extensions, tlsVersion } = detailsOf(probed, 'smtp')
    expect(banner).toBe('mx.example.com ESMTP ready')
    expect(extensions).toContain('8BITMIME')
    expect(extensions).not.toContain('STARTTLS')
    expect(tlsVersion).toBeNull()
    expect(await seen.closed.promise).toBe('ESMTP')
    expect(seen).toMatchObject({ mails: 0, logins: 0 })
  })

  test('is verified by an authority, a pin and a limit of days of its own', async () => {
    const { port } = await serve({ ...leaf })
    const security = 'starttls'
    const caCertificates = certificates.ca
    expect((await probe({ port, security })).judgement).toMatchObject({ cause: 'certificate_untrusted' })
    expect((await probe({ port, security, caCertificates })).judgement).toEqual(up)
    const pins = ['a'.repeat(64)]
    const unpinned = await probe({ port, security, caCertificates, pins })
    expect(unpinned.judgement).toMatchObject({ verdict: 'down', cause: 'certificate_not_pinned' })
    const soon = await probe({ port, security, caCertificates, certificateDaysMin: 30 })
    expect(soon.judgement).toMatchObject({ verdict: 'down', cause: 'expires_soon' })
    const named = await probe({ port, security, caCertificates, serverName: 'other.localhost' })
    expect(named.judgement).toMatchObject({ verdict: 'down', cause: 'certificate_wrong_host' })
  })

  test.each(['starttls', 'tls'] as const)('with security %s is verified', async (security) => {
    const { port, seen } = await serve({ ...leaf, secure: security === 'tls' })
    const probed = await probe({ port, security, requireAuth: true }, {}, trusting)
    expect(probed.judgement).toEqual(up)
    expect(probed.trace.timings.tlsMs).not.toBeNull()
    const days = ((probed.trace.certificateExpiresAt ?? 0) - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(10)
    const { extensions, tlsVersion } = detailsOf(probed, 'smtp')
    expect(tlsVersion).toBe('TLSv1.3')
    expect(extensions).toContain('AUTH')
    expect(await seen.closed.promise).toBe('ESMTPS')
    expect(seen).toMatchObject({ mails: 0, logins: 0 })
  })

  test('without AUTH is down only if AUTH is required', async () => {
    const { port } = await serve({ ...leaf, disabledCommands: ['AUTH'] })
    const { judgement } = await probe({ port, requireAuth: true })
    expect(judgement).toEqual(down('smtp_auth_missing', 'the server does not offer AUTH'))
    expect((await probe({ port, requireAuth: false })).judgement).toEqual(up)
  })

  test('without STARTTLS is down only if STARTTLS is required', async () => {
    const { port, seen } = await serve({ ...leaf, hideSTARTTLS: true })
    const { judgement } = await probe({ port, security: 'starttls' }, {}, trusting)
    expect(judgement).toEqual(down('smtp_starttls_missing', 'the server does not offer STARTTLS'))
    await seen.closed.promise
  })

  test('that rejects clients is down with its reason', async () => {
    const { port } = await serve({
      ...leaf,
      onConnect: (_session, done) => done(new Error('not today')),
    })
    const { trace, judgement } = await probe({ port })
    expect(judgement).toEqual(
      down('smtp_greeting_refused', 'expected 220 in the greeting, got 554 "not today"'),
    )
    expect(trace.answered).toBe(true)
  })

  test.each<[string, () => KeyPair, string]>([
    ['is for another host', () => certificates.leaf('other.example.com'), 'certificate_wrong_host'],
    ['is self-signed', () => certificates.selfSigned('mx.localhost'), 'certificate_self_signed'],
    [
      'has expired',
      () => certificates.leaf('mx.localhost', { from: '20260701000000Z', to: '20260702000000Z' }),
      'certificate_expired',
    ],
  ])('whose certificate %s is down, implicitly and by STARTTLS', async (_, make, cause) => {
    const keyPair = make()
    for (const security of ['tls', 'starttls'] as const) {
      const { port } = await serve({ ...keyPair, secure: security === 'tls' })
      const { trace, judgement } = await probe({ port, security }, {}, trusting)
      expect(judgement).toMatchObject({ verdict: 'down', fault: 'target', cause })
      expect(trace.certificateExpiresAt).not.toBeNull()
      expect(trace.timings.tlsMs).toBeNull()
    }
  })

  test('whose issuer is not trusted is down', async () => {
    const { port } = await serve({ ...leaf })
    const { judgement } = await probe({ port, security: 'starttls' })
    expect(judgement).toMatchObject({ verdict: 'down', cause: 'certificate_untrusted' })
  })

  test('by address is verified by that address', async () => {
    const { port } = await serve({ ...certificates.leaf('127.0.0.1') })
    const settings = { host: '127.0.0.1', port, security: 'starttls' } as const
    expect((await probe(settings, {}, trusting)).judgement).toEqual(up)
    const other = await serve({ ...certificates.leaf('127.0.0.2') })
    const { judgement } = await probe({ ...settings, port: other.port }, {}, trusting)
    expect(judgement).toMatchObject({ verdict: 'down', cause: 'certificate_wrong_host' })
  })
})

describe("the probe's part of a session", () => {
  test('is EHLO and QUIT', async () => {
    const peer = await startMailPeer()
    expect((await probe({ port: peer.port })).judgement).toEqual(up)
    expect(await peer.ended).toBe('closed')
    expect(peer.commands).toEqual(['EHLO probe-mesh.invalid', 'QUIT'])
  })

  test.each(['500', '501', '502', '504', '550', '502-5.5.1 Unknown\r\n502'])(
    'is EHLO, HELO and QUIT at a server that answers %j to EHLO, which is up (RFC 5321 3.2)',
    async (code) => {
      const peer = await startMailPeer({ ehlo: `${code} command not recognized\r\n` })
      const probed = await probe({ port: peer.port })
      expect(probed.judgement).toEqual(up)
      expect(detailsOf(probed, 'smtp').extensions).toEqual([])
      await peer.ended
      expect(peer.commands).toEqual(['EHLO probe-mesh.invalid', 'HELO probe-mesh.invalid', 'QUIT'])
    },
  )

  test('a server with HELO alone has no AUTH', async () => {
    const peer = await startMailPeer({ ehlo: '500 what?\r\n' })
    const { judgement } = await probe({ port: peer.port, requireAuth: true })
    expect(judgement).toEqual(down('smtp_auth_missing', 'the server does not offer AUTH'))
  })

  test('is EHLO before and after STARTTLS, and QUIT', async () => {
    const peer = await startMailPeer({ keyPair: leaf })
    const settings = { port: peer.port, security: 'starttls', requireAuth: true } as const
    expect((await probe(settings, {}, trusting)).judgement).toEqual(up)
    await peer.ended
    expect(peer.commands).toEqual([
      'EHLO probe-mesh.invalid',
      'STARTTLS',
      'tls:EHLO probe-mesh.invalid',
      'tls:QUIT',
    ])
  })

  test('offers no ALPN protocol: mail servers with ALPN reject web clients', async () => {
    const keyPair = { ...leaf, ALPNProtocols: ['smtp'] }
    const implicit = await startMailPeer({ keyPair, implicitTls: true })
    const first = await probe({ port: implicit.port, security: 'tls' }, {}, trusting)
    expect(first.judgement).toEqual(up)
    const upgraded = await startMailPeer({ keyPair })
    const second = await probe({ port: upgraded.port, security: 'starttls' }, {}, trusting)
    expect(second.judgement).toEqual(up)
  })

  test('ends with QUIT when the server lacks something', async () => {
    const peer = await startMailPeer({ ehlo: '250 mx\r\n' })
    const { judgement } = await probe({ port: peer.port, requireAuth: true })
    expect(judgement).toMatchObject({ cause: 'smtp_auth_missing' })
    expect(await peer.ended).toBe('closed')
    expect(peer.commands).toEqual(['EHLO probe-mesh.invalid', 'QUIT'])
  })

  test('AUTH before TLS does not count after it', async () => {
    const peer = await startMailPeer({ keyPair: leaf, securedEhlo: '250 mx\r\n' })
    const settings = { port: peer.port, security: 'starttls', requireAuth: true } as const
    const probed = await probe(settings, {}, trusting)
    expect(probed.judgement).toMatchObject({ verdict: 'down', cause: 'smtp_auth_missing' })
    expect(detailsOf(probed, 'smtp').extensions).toEqual([])
  })

  test('waits for a greeting of several lines', async () => {
    const peer = await startMailPeer({ greeting: '220-mx\r\n220-no spam\r\n220 please\r\n' })
    const probed = await probe({ port: peer.port })
    expect(probed.judgement).toEqual(up)
    expect(detailsOf(probed, 'smtp').banner).toBe('mx no spam please')
  })
})

describe('whose fault it was', () => {
  test('a closed port is the target’s', async () => {
    const { trace, judgement } = await probe({ port: await closedPort() })
    expect(judgement).toMatchObject({ verdict: 'down', cause: 'connection_refused' })
    expect(trace).toMatchObject({ answered: false, details: { banner: null, extensions: [] } })
  })

  test('a stop of the agent is the probe’s', async () => {
    const stop = new AbortController()
    const peer = await startPeer(() => stop.abort(new Error('closing')))
    const { judgement } = await probe({ port: peer.port }, { signal: stop.signal })
    expect(judgement).toMatchObject({ verdict: 'unmeasured', cause: 'probe_stopped' })
  })

  test.each([
    ['a private address', { host: '10.0.0.1', port: 25 }],
    ['a name of a mixed answer', { host: 'mixed.example.com', port: 25 }],
    ['a port for no mail', { host: 'mx.example.com', port: 6379 }],
  ])('%s is not a target, and is not measured', async (_, settings) => {
    const names = {
      'mx.example.com': ['127.0.0.1'],
      'mixed.example.com': ['127.0.0.1', '10.0.0.1'],
    }
    const more = { allow: allowing('127.0.0.1/32'), resolver: resolverOf(names) }
    const { trace, judgement } = await probe(settings, {}, more)
    expect(judgement).toEqual({
      verdict: 'unmeasured',
      fault: 'probe',
      cause: 'unsafe_target',
      reason: 'the target address is not allowed',
    })
    expect(trace.address).toBeNull()
  })
})
