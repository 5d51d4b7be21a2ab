import { plainGet } from './message.ts'
import { once } from 'node:events'
import http2, { type Http2Stream, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import net from 'node:net'
import tls from 'node:tls'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTrust } from './connect.ts'
import { followRedirects } from './follow-redirects.ts'
import { onlyHttp2 } from './notes.ts'
import { createStop } from './stop.ts'
import { allowing, ask, resolverOf } from './testing/ask.ts'
import { createCertificates } from './testing/certificates.ts'
import { portOf } from './testing/raw-server.ts'
import { unlimited } from './unlimited.ts'
import { seenCertificate } from './seen-certificate.ts'

const certificates = useOnce(() => createCertificates())
afterAll(() => certificates.remove())

type Answer = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders & Record<string, unknown>) => void

/** @param more options of the server, such as HTTP/1.1 support */
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

describe('a server that supports only HTTP/2', () => {
  test('gets one HTTP/2 request, with a note', async () => {
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

  test('has its redirects followed', async () => {
    const { url } = await serve((stream, headers) => {
      if (headers[':path'] === '/end') says('end')(stream, headers)
      else stream.respond({ ':status': 302, location: '/end' }, { endStream: true })
    })
    expect(await secure(url)).toMatchObject({ ok: true, status: 200, hops: 1, notes: [onlyHttp2] })
  })

  test.each<[string, Answer, string]>([
    ['resets the stream', (stream) => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR), 'bad_http'],
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

  test('and stays silent ends at the deadline', async () => {
    const deadline = new AbortController()
    const reach = (): void => deadline.abort(new DOMException('reached', 'TimeoutError'))
    const { url } = await serve(reach)
    const outcome = await secure(url, { deadlineMs: 150, signal: deadline.signal })
    expect(outcome).toMatchObject({ ok: false, cause: 'response_timeout' })
  })

  test('and sends too much is read to the limit', async () => {
    const { url } = await serve(says('a'.repeat(1_000_000)))
    const outcome = await secure(url)
    expect(outcome).toMatchObject({ ok: true, body: { truncated: true } })
  })
})

test('a server with both protocols gets HTTP/1.1', async () => {
  const never: Answer = (stream: Http2Stream) => stream.close()
  const { url, asked } = await serve(never, { allowHTTP1: true })
  expect(await secure(url)).toMatchObject({ ok: true, status: 200, notes: [] })
  expect(asked).toEqual([])
})

test('a server with neither protocol is down', async () => {
  const leaf = certificates.leaf('site.example.com')
  const server = tls.createServer({ ...leaf, ALPNProtocols: ['pigeon'] })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const outcome = await secure(`https://site.example.com:${portOf(server)}/`)
  expect(outcome).toMatchObject({ ok: false, cause: 'tls_no_protocol', fault: 'target' })
})

describe('a server that agrees on no protocol', () => {
  let last: net.Socket | null = null
  /** One server for each connection in turn: the first connection uses HTTP/1.1. */
  const inTurn = async (...servers: tls.Server[]) => {
    let number = 0
    const front = net.createServer((socket) => {
      socket.on('error', () => undefined)
      last = socket
      servers[number]?.emit('connection', socket)
      number += 1
    })
    front.listen(0, '127.0.0.1')
    await once(front, 'listening')
    onTestFinished(() => void front.close())
    const url = `https://site.example.com:${portOf(front)}/`
    return { url, connections: () => number }
  }
  const leaf = () => certificates.leaf('site.example.com')
  const without = (play: (socket: tls.TLSSocket) => void): tls.Server =>
    tls.createServer(leaf(), (socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => play(socket))
    })
  const http2Server = (asked: string[]): tls.Server => {
    const server = http2.createSecureServer(leaf(), (request, response) => {
      asked.push(request.httpVersion)
      response.end('two')
    })
    return server as unknown as tls.Server
  }
  const closes = (socket: tls.TLSSocket): void => void socket.end()
  const resets = (): void => void last?.resetAndDestroy()
  /** Sends SETTINGS, like an HTTP/2 server, whatever the client sends. */
  const sendsFrames = (socket: tls.TLSSocket): void =>
    void socket.write(Buffer.from('000006040000000000000300000080', 'hex'))

  test.each([
    ['closes', closes],
    ['resets', resets],
    ['sends frames', sendsFrames],
  ])('and %s gets an HTTP/2 request, with a note', async (_, play) => {
    const asked: string[] = []
    const { url } = await inTurn(without(play), http2Server(asked))
    const outcome = await secure(url)
    expect(outcome).toMatchObject({
      ok: true,
      status: 200,
      notes: [onlyHttp2],
      certificateExpiresAt: expect.any(Number),
    })
    expect(asked).toEqual(['2.0'])
  })

  test('and does not support HTTP/2 either is judged by its first reaction', async () => {
    const { url, connections } = await inTurn(without(closes), without(closes))
    const outcome = await secure(url)
    expect(outcome).toMatchObject({ ok: false, cause: 'connection_closed', notes: [] })
    expect(connections()).toBe(2)
  })

  test('and answers HTTP/1.1 gets one request', async () => {
    const answers = without((socket) => void socket.end('HTTP/1.1 503 No\r\n\r\n'))
    const { url, connections } = await inTurn(answers, http2Server([]))
    expect(await secure(url)).toMatchObject({ ok: true, status: 503, notes: [] })
    expect(connections()).toBe(1)
  })

  test('and closes does not get a request with effects twice', async () => {
    const { url, connections } = await inTurn(without(closes), http2Server([]))
    const message = { method: 'POST', body: Buffer.from('a'), contentType: null } as const
    const signal = AbortSignal.timeout(5_000)
    const stop = createStop(signal, 5_000)
    const following = {
      isFinal: () => false,
      needsBody: () => true,
      judgesBody: true,
      hopsMax: 3,
      redirected: () => ({ message: plainGet, leftOut: [] }),
      cookieFor: () => null,
      onHead: () => undefined,
      onConnected: () => undefined,
      begin: () => stop,
      end: () => undefined,
    }
    const outcome = await followRedirects(url, message, following, {
      allow: allowing('127.0.0.0/8'),
      resolver,
      ownAddresses: () => new Set(),
      ...unlimited,
      trust: createTrust([certificates.ca]),
      userAgent: 'test',
      sentRegion: null,
    })
    expect(outcome).toMatchObject({ ok: false, cause: 'connection_closed' })
    expect(connections()).toBe(1)
  })
})

test('the certificate of the second connection is kept, also when it is refused', async () => {
  const server = http2.createSecureServer(certificates.leaf('other.example.com'))
  server.on('sessionError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const outcome = await secure(`https://site.example.com:${portOf(server)}/`)
  expect(outcome).toMatchObject({
    ok: false,
    cause: 'certificate_wrong_host',
    certificateExpiresAt: expect.any(Number),
  })
  expect(outcome.certificate && seenCertificate(outcome.certificate)).toMatchObject({
    names: ['other.example.com'],
  })
})
