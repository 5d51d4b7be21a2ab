import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import { noStepAssertions } from '@probe-mesh/contracts/check/step-assertions'
import type { HttpRequest } from '@probe-mesh/contracts/check/request-options'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, describe, expect, test } from 'vitest'
import { createTrust } from '../request/connect.ts'
import { createCertificates } from '../request/testing/certificates.ts'
import { allowing, resolverOf } from '../request/testing/ask.ts'
import { setUp } from '../run/testing/run.ts'
import { journeyOf, opener, requestOf, startTarget } from './testing/targets.ts'

/** What the owner of a check chooses about protocol, address, certificate and redirect. */
const certificates = useOnce(() => createCertificates())
const server = useOnce(() => certificates.leaf('127.0.0.1'))
const client = useOnce(() => certificates.leaf('client'))
afterAll(() => certificates.remove())

const probe = (more: object = {}) =>
  setUp({ secrets: opener, trust: createTrust([certificates.ca]), now: Date.now, ...more })
const run = (url: string, request: HttpRequest, more: Parameters<typeof requestOf>[2] = undefined) =>
  probe().runAny(requestOf(url, request, more))

describe('a client certificate', () => {
  const mutual = () =>
    startTarget((_, response) => response.end(), {
      ...server,
      ca: certificates.ca,
      requestCert: true,
      rejectUnauthorized: true,
    })
  const withKey = (key: string) => ({ client_key: { value: key, hosts: ['127.0.0.1'] } })
  const request = () => ({ clientCertificate: { certificate: client.cert, key: '{{ secret.client_key }}' } })

  test('opens a server that requires one', async () => {
    const target = await mutual()
    expect(await run(target.at(), request(), withKey(client.key))).toMatchObject({ verdict: 'up' })
    expect(await run(target.at(), {})).toMatchObject({ verdict: 'down', cause: 'client_certificate' })
  })

  test('is shown again where the request redirects on its origin', async () => {
    const target = await startTarget(
      ({ url }, response) => response.writeHead(url === '/' ? 308 : 200, { location: '/again' }).end(),
      { ...server, ca: certificates.ca, requestCert: true, rejectUnauthorized: true },
    )
    const reading = await run(target.at(), request(), withKey(client.key))
    expect(reading).toMatchObject({ verdict: 'up' })
    expect(target.received.map(({ url }) => url)).toEqual(['/', '/again'])
  })

  test('is not shown to another origin, and the reading says so', async () => {
    const target = await mutual()
    const first = await startTarget(
      (_, response) => response.writeHead(302, { location: target.at() }).end(),
      server,
    )
    const reading = await run(first.at(), request(), withKey(client.key))
    expect(reading).toMatchObject({
      verdict: 'down',
      cause: 'client_certificate',
      reason:
        'the server requires a client certificate; a redirect to another origin was followed without client certificate',
      details: { exchange: { leftOut: ['client certificate'] } },
    })
    expect(target.received).toEqual([])
  })

  test('of no trusted issuer is down, and a key of another one is not measured', async () => {
    const target = await mutual()
    const own = certificates.selfSigned('stranger')
    const clientCertificate = { certificate: own.cert, key: '{{ secret.client_key }}' }
    const refused = await run(target.at(), { clientCertificate }, withKey(own.key))
    expect(refused.verdict).toBe('down')
    const other = await run(target.at(), request(), withKey(own.key))
    expect(other).toMatchObject({
      verdict: 'unmeasured',
      cause: 'secret_unavailable',
      reason:
        'the secret client_key, the key of the client certificate, is not the private key of the certificate',
    })
  })
})

describe('the version of HTTP', () => {
  const answer = (_: unknown, response: { end(): unknown }) => response.end()
  test('2 is used if a server has it, also with credentials and a body', async () => {
    const target = await startTarget(
      ({ headers, method, body }, response) => {
        const isWanted =
          headers['x-key'] === 'k' &&
          headers['authorization'] === 'Bearer tokens' &&
          method + body === 'POSTx'
        response.writeHead(isWanted ? 200 : 400).end()
      },
      { ...server, version: '2' },
    )
    const request: HttpRequest = {
      httpVersion: '2',
      method: 'POST',
      body: 'x',
      headers: [{ name: 'X-Key', value: 'k' }],
      auth: { type: 'bearer', token: 'tokens' },
    }
    expect(await run(target.at(), request)).toMatchObject({ verdict: 'up' })
  })

  test('2 is down on a server without it, and 1.1 on one with nothing else', async () => {
    const one = await startTarget(answer, server)
    const two = await startTarget(answer, { ...server, version: '2' })
    const plain = await startTarget(answer)
    expect(await run(one.at(), { httpVersion: '2' })).toMatchObject({
      verdict: 'down',
      cause: 'http_version',
    })
    expect(await run(two.at(), { httpVersion: '1.1' })).toMatchObject({
      verdict: 'down',
      cause: 'http_version',
    })
    expect(await run(plain.at(), { httpVersion: '2' })).toMatchObject({
      verdict: 'down',
      reason: 'the check requires HTTP/2, which needs an https URL',
    })
    expect(await run(two.at(), {})).toMatchObject({ verdict: 'up' })
    expect(await run(one.at(), { httpVersion: '1.1' })).toMatchObject({ verdict: 'up' })
    expect([one.received.length, two.received.length]).toEqual([1, 1])
  })
})

describe('the address family', () => {
  test('decides which of the addresses of a name is used', async () => {
    const four = await startTarget((_, response) => response.end())
    const both = { 'both.example.com': ['127.0.0.1', '::1'], 'four.example.com': ['127.0.0.1'] }
    const { runAny } = probe({ allow: allowing('127.0.0.0/8', '::1/128'), resolver: resolverOf(both) })
    const of = (name: string, addressFamily: 'ipv4' | 'ipv6') =>
      runAny(requestOf(four.at('/', name), { addressFamily }))
    expect(await of('both.example.com', 'ipv4')).toMatchObject({ verdict: 'up', address: '127.0.0.1' })
    expect(await of('both.example.com', 'ipv6')).toMatchObject({
      verdict: 'down',
      cause: 'connection_refused',
      address: '::1',
    })
    expect(await of('four.example.com', 'ipv6')).toMatchObject({
      verdict: 'down',
      cause: 'address_family',
      reason: 'the host has no IPv6 address, which the check requires',
    })
    expect(await of('127.0.0.1', 'ipv6')).toMatchObject({ cause: 'address_family' })
    const six = await startTarget((_, response) => response.end(), { host: '::1' })
    expect(await runAny(requestOf(six.at('/', 'both.example.com'), { addressFamily: 'ipv6' }))).toMatchObject(
      {
        verdict: 'up',
        address: '::1',
      },
    )
  })

  test('judges all addresses all the same, and a silent resolver is no missing address', async () => {
    const mixed = probe({ resolver: resolverOf({ 'mixed.example.com': ['127.0.0.1', 'fd00::1'] }) })
    expect(
      await mixed.runAny(requestOf('http://mixed.example.com/', { addressFamily: 'ipv4' })),
    ).toMatchObject({
      verdict: 'unmeasured',
      cause: 'unsafe_target',
    })
    const resolver = {
      resolve4: async () => ['127.0.0.1'],
      resolve6: () => Promise.reject(Object.assign(new Error(''), { code: 'ETIMEOUT' })),
    }
    const silent = probe({ resolver })
    expect(
      await silent.runAny(requestOf('http://silent.example.com/', { addressFamily: 'ipv6' })),
    ).toMatchObject({
      verdict: 'unmeasured',
      cause: 'dns_unreachable',
    })
  })
})

describe('a redirect', () => {
  const redirecting = () =>
    startTarget(({ url }, response) =>
      url === '/old' ? response.writeHead(301, { location: '/new?a=b' }).end() : response.end(),
    )
  test('that is expected is up, and not followed', async () => {
    const target = await redirecting()
    for (const redirectsTo of ['/new?a=b', target.at('/new?a=b')]) {
      expect(await run(target.at('/old'), { redirectsTo })).toMatchObject({ verdict: 'up', httpStatus: 301 })
    }
    expect(target.received.map(({ url }) => url)).toEqual(['/old', '/old'])
  })

  test('to another place, or none, is down', async () => {
    const target = await redirecting()
    const elsewhere = await run(target.at('/old'), { redirectsTo: 'https://example.com/' })
    expect(elsewhere).toMatchObject({
      cause: 'redirect_mismatch',
      reason: `expected a redirect to "https://example.com/", got "${target.at('/new?a=b')}"`,
    })
    expect(await run(target.at('/new'), { redirectsTo: '/x' })).toMatchObject({
      cause: 'redirect_missing',
      reason: `expected a redirect to "${target.at('/x')}", got status 200`,
    })
    const assertions = { ...noAssertions, assertionStatusMin: 308, assertionStatusMax: 308 }
    const other = await probe().runAny(
      requestOf(target.at('/old'), { redirectsTo: '/new?a=b' }, {}, { assertions }),
    )
    expect(other).toMatchObject({ cause: 'status_mismatch', reason: 'expected status 308, got 301' })
  })

  test('is the answer if the check does not follow, also in a journey', async () => {
    const target = await redirecting()
    expect(await run(target.at('/old'), { redirects: 'never' })).toMatchObject({
      verdict: 'down',
      reason: 'expected status 200-299, got 301',
    })
    const step = {
      name: 'one',
      method: 'GET',
      url: target.at('/old'),
      body: null,
      contentType: null,
    } as const
    const assertions = { ...noStepAssertions, statusMin: 301, statusMax: 301 }
    const journey = journeyOf([
      { ...step, assertions, options: { redirects: 'never' } },
      { ...step, assertions: noStepAssertions, options: { redirectsTo: '/other' } },
    ])
    expect(await probe().runAny(journey)).toMatchObject({
      httpStatus: 301,
      reason: `Step 2 (one): expected a redirect to "${target.at('/other')}", got "${target.at('/new?a=b')}"`,
    })
  })
})

test('a certificate that expires too soon is down, with the days left', async () => {
  const target = await startTarget((_, response) => response.end(), server)
  expect(await run(target.at(), { certificateDaysMin: 5 })).toMatchObject({ verdict: 'up' })
  expect(await run(target.at(), { certificateDaysMin: 30 })).toMatchObject({
    verdict: 'down',
    cause: 'expires_soon',
    reason: 'the certificate expires in 9 days; the limit is 30 days',
  })
  const plain = await startTarget((_, response) => response.end())
  expect(await run(plain.at(), { certificateDaysMin: 1 })).toMatchObject({
    cause: 'no_certificate',
    reason: 'the answer came without TLS; the limit is 1 day',
  })
})
