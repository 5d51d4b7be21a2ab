import { once } from 'node:events'
import http2 from 'node:http2'
import type { Http2Stream, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import tls from 'node:tls'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTrust } from './connect.ts'
import { onlyHttp2 } from './notes.ts'
import { ask, resolverOf } from './testing/ask.ts'
import { createCertificates } from './testing/certificates.ts'
import type { Certificates } from './testing/certificates.ts'
import { portOf } from './testing/raw-server.ts'

let certificates: Certificates
beforeAll(() => {
  certificates = createCertificates()
})
afterAll(() => certificates.remove())

type Answer = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders & Record<string, unknown>,
) => void

/** @param more options of the server, such as that it speaks HTTP/1.1 as well */
const serve = async (answer: Answer, more: http2.SecureServerOptions = {}) => {
  const asked: Record<string, unknown>[] = []
  const leaf = certificates.leaf('site.example.com')
  const server = http2.createSecureServer({ ...leaf, ...more })
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    asked.push(Object.fromEntries(Object.entries(headers)))
    answer(stream, headers)
  })
  if (more.allowHTTP1 === true) {
    server.on('request', (request, response) => {
      if (request.httpVersionMajor === 1) response.end('one')
    })
  }
  server.on('sessionError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `https://site.example.com:${portOf(server)}/a?b=c`, asked }
}
const resolver = resolverOf({ 'site.example.com': ['127.0.0.1'] })
const secure = (url: string, more: Parameters<typeof ask>[1] = {}) =>
  ask(url, more, { resolver, trust: createTrust([certificates.ca]) })
const says =
  (text: string, headers: object = {}): Answer =>
  (stream) => {
    stream.respond({ ':status': 200, ...headers })
    stream.end(text)
  }

describe('a server that speaks HTTP/2 alone', () => {
  test('is asked by it, once, which is noted', async () => {
    const { url, asked } = await serve(says('ok', { 'set-cookie': ['a=b', 'c=d'] }))
    const outcome = await secure(url)
    expect(outcome).toMatchObject({
      ok: true,
      status: 200,
      headers: { 'set-cookie': ['a=b', 'c=d'] },
      notes: [onlyHttp2],
      timings: {
        connectMs: expect.any(Number),
        tlsMs: expect.any(Number),
        ttfbMs: expect.any(Number),
      },
      certificateExpiresAt: expect.any(Number),
    })
    expect(outcome.ok && outcome.body?.bytes.toString()).toBe('ok')
    expect(outcome.ok && Object.keys(outcome.headers)).not.toContain(':status')
    expect(asked).toEqual([
      {
        ':method': 'GET',
        ':scheme': 'https',
        ':path': '/a?b=c',
        ':authority': new URL(url).host,
        'user-agent': 'ProbeMesh/test (+uptime monitoring)',
        accept: '*/*',
        'accept-encoding': 'gzip, deflate, br',
      },
    ])
  })

  test('is followed where it redirects', async () => {
    const { url } = await serve((stream, headers) => {
      if (headers[':path'] === '/end') says('end')(stream, headers)
      else stream.respond({ ':status': 302, location: '/end' }, { endStream: true })
    })
    expect(await secure(url)).toMatchObject({ ok: true, status: 200, hops: 1, notes: [onlyHttp2] })
  })

  test.each<[string, Answer, string]>([
    [
      'resets the stream',
      (stream) => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR),
      'bad_http',
    ],
    ['ends the connection', (stream) => stream.session?.destroy(), 'connection_closed'],
    [
      'resets the stream inside the body',
      (stream) => {
        stream.respond({ ':status': 200 })
        stream.write('begun', () => stream.destroy(new Error('broken')))
      },
      'body_incomplete',
    ],
    [
      'ends the connection inside the body',
      (stream) => {
        stream.respond({ ':status': 200 })
        stream.write('begun', () => setImmediate(() => stream.session?.destroy()))
      },
      'body_incomplete',
    ],
  ])('and %s is down', async (_, answer, cause) => {
    const { url } = await serve(answer)
    expect(await secure(url)).toMatchObject({ ok: false, cause, fault: 'target' })
  })

  test('and says nothing ends at the deadline', async () => {
    const deadline = new AbortController()
    const reach = (): void => deadline.abort(new DOMException('reached', 'TimeoutError'))
    const { url } = await serve(reach)
    const outcome = await secure(url, { deadlineMs: 150, signal: deadline.signal })
    expect(outcome).toMatchObject({ ok: false, cause: 'response_timeout' })
  })

  test('and sends more than is read is read to the bound', async () => {
    const { url } = await serve(says('a'.repeat(1_000_000)))
    const outcome = await secure(url)
    expect(outcome).toMatchObject({ ok: true, body: { truncated: true } })
  })
})

test('a server that speaks both is asked by HTTP/1.1', async () => {
  const never: Answer = (stream: Http2Stream) => stream.close()
  const { url, asked } = await serve(never, { allowHTTP1: true })
  expect(await secure(url)).toMatchObject({ ok: true, status: 200, notes: [] })
  expect(asked).toEqual([])
})

test('a server that speaks neither is down', async () => {
  const leaf = certificates.leaf('site.example.com')
  const server = tls.createServer({ ...leaf, ALPNProtocols: ['pigeon'] })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const outcome = await secure(`https://site.example.com:${portOf(server)}/`)
  expect(outcome).toMatchObject({ ok: false, cause: 'tls_no_protocol', fault: 'target' })
})
