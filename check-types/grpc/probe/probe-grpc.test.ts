import { Metadata, Server, ServerCredentials, status as codes } from '@grpc/grpc-js'
import { HealthImplementation, service as health } from 'grpc-health-check'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTrust } from '@probe-mesh/probe-agent/src/request/connect'
import { allowing, resolverOf } from '@probe-mesh/probe-agent/src/request/testing/ask'
import { createCertificates, type KeyPair } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { closedPort, startPeer } from '../../tcp/probe/testing/peer.ts'
import { down, probe, up } from './testing/probing-grpc.ts'

const certificates = useOnce(() => createCertificates())
const leaf = useOnce(() => certificates.leaf('api.localhost'))
const trusting = useOnce(() => ({ trust: createTrust([certificates.ca]) }))
afterAll(() => certificates.remove())

/** A real gRPC server. */
const listen = async (add: (server: Server) => void, keyPair: KeyPair | null = null): Promise<number> => {
  const server = new Server()
  add(server)
  const pair = keyPair && { private_key: Buffer.from(keyPair.key), cert_chain: Buffer.from(keyPair.cert) }
  const credentials =
    pair === null ? ServerCredentials.createInsecure() : ServerCredentials.createSsl(null, [pair])
  onTestFinished(() => server.forceShutdown())
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, port) => (error ? reject(error) : resolve(port)))
  })
}
const healthy = (keyPair: KeyPair | null = null): Promise<number> =>
  listen((server) => {
    const statuses = {
      '': 'SERVING',
      'shop.v1.Cart': 'SERVING',
      'shop.v1.Bill': 'NOT_SERVING',
      odd: 'UNKNOWN',
    } as const
    new HealthImplementation(statuses).addToServer(server)
  }, keyPair)

type Asked = { service: string; metadata: Metadata; path: string; host: string }

/** A server whose health service fails, with what it was asked. */
const failing = async (code: number, details: string) => {
  const asked: Asked[] = []
  const port = await listen((server) =>
    server.addService(health, {
      Check: (
        call: { request: { service: string }; metadata: Metadata; getPath(): string; getHost(): string },
        done: (error: object) => void,
      ) => {
        const { request, metadata } = call
        asked.push({ service: request.service, metadata, path: call.getPath(), host: call.getHost() })
        done({ code, details })
      },
      Watch: () => undefined,
    }),
  )
  return { port, asked }
}

describe('a real server', () => {
  test('is verified by an authority, a pin and a limit of days of its own', async () => {
    const tls = { port: await healthy(certificates.leaf('rpc.localhost')), security: 'tls' } as const
    const own = { ...tls, caCertificates: certificates.ca, serverName: 'rpc.localhost' }
    expect((await probe(tls)).judgement).toMatchObject({ verdict: 'down' })
    expect((await probe(own)).judgement).toEqual(up)
    const unpinned = await probe({ ...own, pins: ['a'.repeat(64)] })
    expect(unpinned.judgement).toMatchObject({ verdict: 'down', cause: 'certificate_not_pinned' })
    const soon = await probe({ ...own, certificateDaysMin: 30 })
    expect(soon.judgement).toMatchObject({ verdict: 'down', cause: 'expires_soon' })
  })

  test('is up without TLS, with all times', async () => {
    const port = await healthy()
    const { trace, judgement } = await probe({ port })
    expect(judgement).toEqual(up)
    expect(trace).toEqual({
      answered: true,
      unroutable: [],
      httpStatus: 200,
      latencyMs: expect.any(Number),
      timings: {
        dnsMs: expect.any(Number),
        connectMs: expect.any(Number),
        tlsMs: null,
        ttfbMs: expect.any(Number),
        transferMs: expect.any(Number),
      },
      address: '127.0.0.1',
      certificateExpiresAt: null,
      certificate: null,
      details: { type: 'grpc', status: 'SERVING', code: 0, message: null, tlsVersion: null },
    })
  })

  test('is up with TLS, with its certificate', async () => {
    const port = await healthy(leaf)
    const { trace, judgement } = await probe({ port, security: 'tls', service: 'shop.v1.Cart' }, {}, trusting)
    expect(judgement).toEqual(up)
    expect(trace.details).toMatchObject({ status: 'SERVING', tlsVersion: 'TLSv1.3' })
    expect(trace.timings.tlsMs).not.toBeNull()
    const days = ((trace.certificateExpiresAt ?? 0) - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(10)
    expect(trace.certificate?.subjectAltName).toBe('DNS:api.localhost')
  })

  test.each([
    ['shop.v1.Bill', 'NOT_SERVING', 'service "shop.v1.Bill" is NOT_SERVING, expected SERVING'],
    ['odd', 'UNKNOWN', 'service "odd" is UNKNOWN, expected SERVING'],
    ['nobody', 'SERVICE_UNKNOWN', 'service "nobody" is SERVICE_UNKNOWN, expected SERVING'],
  ] as const)('with service %j is %s, which is down unless expected', async (service, status, reason) => {
    const port = await healthy()
    const { trace, judgement } = await probe({ port, service })
    expect(judgement).toEqual(down('grpc_status_mismatch', reason))
    expect(trace.details.status).toBe(status)
    expect((await probe({ port, service, expect: status })).judgement).toEqual(up)
  })

  test('that serves although it should not is down', async () => {
    const { judgement } = await probe({ port: await healthy(), expect: 'NOT_SERVING' })
    expect(judgement).toEqual(down('grpc_status_mismatch', 'the server is SERVING, expected NOT_SERVING'))
  })

  test('without the health service is down', async () => {
    const { trace, judgement } = await probe({ port: await listen(() => undefined) })
    expect(judgement).toEqual(down('grpc_no_health', 'the server has no health service'))
    expect(trace.details).toMatchObject({ status: null, code: 12, message: expect.stringContaining('Check') })
  })

  test('that fails is down with the name of its code and its text', async () => {
    const { port } = await failing(codes.UNAVAILABLE, 'größer\n100 %')
    const { trace, judgement } = await probe({ port })
    expect(judgement).toEqual(down('grpc_error', 'the server answered UNAVAILABLE: "größer 100 %"'))
    expect(trace.details).toMatchObject({ code: 14, message: String.raw`größer\n100 %` })
  })

  test('gets one call with the limit of the attempt', async () => {
    const { port, asked } = await failing(codes.PERMISSION_DENIED, '')
    const { judgement } = await probe({ port, service: 'größe' })
    expect(judgement).toEqual(down('grpc_error', 'the server answered PERMISSION_DENIED'))
    expect(asked).toHaveLength(1)
    const [{ service, metadata, path, host } = { metadata: new Metadata() }] = asked
    expect({ service, path, host }).toEqual({
      service: 'größe',
      path: '/grpc.health.v1.Health/Check',
      host: `api.localhost:${port}`,
    })
    expect(metadata.get('user-agent')).toEqual(['ProbeMesh/test (+uptime monitoring)'])
  })

  test.each<[string, () => KeyPair, string]>([
    ['is for another host', () => certificates.leaf('other.example.com'), 'certificate_wrong_host'],
    ['is self-signed', () => certificates.selfSigned('api.localhost'), 'certificate_self_signed'],
    [
      'has expired',
      () => certificates.leaf('api.localhost', { from: '20260701000000Z', to: '20260702000000Z' }),
      'certificate_expired',
    ],
  ])('whose certificate %s is down', async (_, make, cause) => {
    const { trace, judgement } = await probe({ port: await healthy(make()), security: 'tls' }, {}, trusting)
    expect(judgement).toMatchObject({ verdict: 'down', fault: 'target', cause })
    expect(trace.certificateExpiresAt).not.toBeNull()
    expect(trace).toMatchObject({ answered: false, timings: { tlsMs: null }, details: { tlsVersion: null } })
  })
})

describe('whose fault it was', () => {
  test('a closed port is the target’s', async () => {
    const { trace, judgement } = await probe({ port: await closedPort() })
    expect(judgement).toEqual(down('connection_refused', 'the connection was refused'))
    expect(trace.answered).toBe(false)
  })

  test('a failing resolver is the probe’s', async () => {
    const resolver = resolverOf({ 'api.example.com': 'ESERVFAIL' })
    const { judgement } = await probe({ host: 'api.example.com', port: 443 }, {}, { resolver })
    expect(judgement).toMatchObject({ verdict: 'unmeasured', cause: 'dns_server_failure' })
  })

  test('a stop of the agent is the probe’s', async () => {
    const stop = new AbortController()
    const peer = await startPeer(() => stop.abort(new Error('closing')))
    const { judgement } = await probe({ port: peer.port }, { signal: stop.signal })
    expect(judgement).toMatchObject({ verdict: 'unmeasured', cause: 'probe_stopped' })
  })

  test.each([
    ['a private address', { host: '10.0.0.1' }],
    ['a name that leads to a private address', { host: 'rebound.example.com' }],
    ['a name of a mixed answer', { host: 'mixed.example.com' }],
    ['a port of another protocol', { host: 'api.example.com', port: 6379 }],
  ])('%s is not a target, and gets no connection', async (_, settings) => {
    const peer = await startPeer()
    const names = {
      'api.example.com': ['127.0.0.1'],
      'rebound.example.com': ['10.0.0.1'],
      'mixed.example.com': ['127.0.0.1', '10.0.0.1'],
    }
    const more = { allow: allowing('127.0.0.1/32'), resolver: resolverOf(names) }
    const { trace, judgement } = await probe({ port: peer.port, ...settings }, {}, more)
    expect(judgement).toEqual({
      verdict: 'unmeasured',
      fault: 'probe',
      cause: 'unsafe_target',
      reason: 'the target address is not allowed',
    })
    expect(trace).toMatchObject({ answered: false, address: null })
    expect(peer.connections).toBe(0)
  })
})
