import { once } from 'node:events'
import http2, { type OutgoingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import tls from 'node:tls'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTrust } from '@probe-mesh/probe-agent/src/request/connect'
import { createCertificates } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { portOf } from '@probe-mesh/probe-agent/src/request/testing/raw-server'
import { stopTime } from '@probe-mesh/probe-agent/src/testing/stop-time'
import { flood, startPeer } from '../../tcp/probe/testing/peer.ts'
import { frames, sends } from './testing/frames.ts'
import { down, probe, up } from './testing/probing-grpc.ts'

/** Whatever a server does, a run ends within its deadline, with a reason that contains the event. */

const serving = Buffer.from([0, 0, 0, 0, 2, 8, 1])
const grpc = { ':status': 200, 'content-type': 'application/grpc' }
const ok = { 'grpc-status': '0' }

type Play = (stream: ServerHttp2Stream, headers?: object) => void

/** An HTTP/2 server without a gRPC library. */
const serve = async (play: Play, onSession: (session: ServerHttp2Session) => void = () => undefined) => {
  const server = http2.createServer({ maxHeaderListPairs: 4_000 })
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('error', () => undefined)
    onSession(session)
  })
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    play(stream, headers)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const session of sessions) session.destroy()
    server.close()
  })
  return portOf(server)
}

/** A whole answer. @param trailers null: none */
const says =
  (
    content: Buffer | string,
    trailers: OutgoingHttpHeaders | null = ok,
    head: OutgoingHttpHeaders = grpc,
  ): Play =>
  (stream) => {
    stream.respond(head, { waitForTrailers: trailers !== null })
    if (trailers !== null) stream.once('wantTrailers', () => stream.sendTrailers(trailers))
    stream.end(content)
  }
const onlyHead =
  (head: OutgoingHttpHeaders): Play =>
  (stream) =>
    stream.respond({ ...grpc, ...head }, { endStream: true })

const judge = async (play: Play) => (await probe({ port: await serve(play) })).judgement

test('a call has the headers of gRPC, and the time that is left', async () => {
  const asked: object[] = []
  const port = await serve((stream, headers) => {
    asked.push(Object.fromEntries(Object.entries(headers ?? {})))
    says(serving)(stream)
  })
  expect((await probe({ port }, { deadlineMs: 5_000 })).judgement).toEqual(up)
  expect(asked).toEqual([
    {
      ':method': 'POST',
      ':scheme': 'http',
      ':authority': `api.localhost:${port}`,
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
      'grpc-timeout': expect.stringMatching(/^[1-5]\d{0,3}m$/),
      'user-agent': 'ProbeMesh/test (+uptime monitoring)',
    },
  ])
})

describe('an answer', () => {
  test.each(['application/grpc', 'application/grpc+proto', 'application/grpc; charset=utf-8'])(
    'with content type %s is up',
    async (type) => {
      expect(await judge(says(serving, ok, { ...grpc, 'content-type': type }))).toEqual(up)
    },
  )

  test('with everything in its head has its code and its text', async () => {
    const port = await serve(onlyHead({ 'grpc-status': '14', 'grpc-message': 'no %E2%82%AC, 5%zz' }))
    const { trace, judgement } = await probe({ port })
    expect(judgement).toEqual(down('grpc_error', 'the server answered UNAVAILABLE: "no €, 5%zz"'))
    expect(trace).toMatchObject({ answered: true, details: { code: 14, message: 'no €, 5%zz' } })
  })

  test('with a long text is cut', async () => {
    const port = await serve(onlyHead({ 'grpc-status': '13', 'grpc-message': 'a'.repeat(9_000) }))
    const { trace, judgement } = await probe({ port })
    expect(judgement.reason).toBe(`the server answered INTERNAL: "${'a'.repeat(60)}…"`)
    expect(trace.details.message).toHaveLength(200)
  })

  test.each<[string, Play, string, string]>([
    ['no status', says(serving, null), 'grpc_bad_answer', 'the answer ended without a gRPC status'],
    [
      'a status that does not exist',
      says(serving, { 'grpc-status': '99' }),
      'grpc_bad_answer',
      'the gRPC status "99" is not known',
    ],
    [
      'a status in its head but no message',
      onlyHead(ok),
      'grpc_bad_answer',
      'the answer is no health status: there is no message',
    ],
    [
      'another message',
      says('garbage'),
      'grpc_bad_answer',
      'the answer is no health status: the message has no valid prefix',
    ],
    [
      'a health status that does not exist',
      says(Buffer.from([0, 0, 0, 0, 2, 8, 9])),
      'grpc_bad_answer',
      'the answer is no health status: the status 9 is not known',
    ],
    [
      'more than 4 KB',
      says(Buffer.alloc(64 * 1024)),
      'grpc_too_large',
      'the answer is too large: a health status has less than 4 KB',
    ],
    [
      'headers of 20 KB',
      onlyHead(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`x-${at}`, 'a'.repeat(1_000)]))),
      'headers_too_large',
      'the response headers are too large',
    ],
    [
      'too many headers',
      onlyHead(Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`x-${at}`, 'a']))),
      'headers_too_large',
      'the response headers are too large',
    ],
  ])('with %s is down', async (_, play, cause, reason) => {
    expect(await judge(play)).toEqual(down(cause, reason))
  })
})

describe('an answer of HTTP alone', () => {
  test.each<[OutgoingHttpHeaders, string]>([
    [{ ':status': 404 }, 'HTTP 404'],
    [{ ':status': 301, location: '/' }, 'HTTP 301'],
    [{ ':status': 403 }, 'HTTP 403'],
    [{ ':status': 503, 'content-type': 'application/grpc' }, 'HTTP 503'],
    [{ ':status': 200, 'content-type': 'text/html' }, 'HTTP 200 with content type "text/html"'],
    [
      { ':status': 200, 'content-type': 'application/grpc-web' },
      'HTTP 200 with content type "application/grpc-web"',
    ],
    [{ ':status': 200 }, 'HTTP 200 with no content type'],
  ])('%j is down', async (head, what) => {
    const port = await serve(says('page', null, head))
    const { trace, judgement } = await probe({ port })
    expect(judgement).toEqual(down('grpc_no_grpc', `the server answered ${what}, which is no gRPC`))
    expect(trace).toMatchObject({ answered: true, httpStatus: head[':status'], details: { code: null } })
  })

  test.each<[string, string, OutgoingHttpHeaders, string]>([
    ['a challenge in its headers', '', { ':status': 403, 'cf-mitigated': 'challenge' }, 'bot_challenge'],
    [
      'a challenge in its page',
      `<script>_cf_chl_opt</script>${' '.repeat(40_000)}`,
      { ':status': 503 },
      'bot_challenge',
    ],
    ['the page of a firewall', 'generated by Mod_Security', { ':status': 406 }, 'waf_block'],
  ])('with %s is blocked', async (_, page, head, cause) => {
    expect(await judge(says(page, null, head))).toMatchObject({ verdict: 'blocked', fault: 'target', cause })
  })

  test('that refuses is judged as of an http check', async () => {
    const port = await serve(says('', null, { ':status': 429 }))
    const as = async (asked: object) => (await probe({ port }, {}, {}, asked)).judgement
    expect(await as({ refusedAs: 'blocked' })).toMatchObject({ verdict: 'blocked', cause: 'refused' })
    expect(await as({ refusedAs: 'down' })).toMatchObject({ verdict: 'down', cause: 'refused' })
    expect(await as({ owner: 'catalog' })).toMatchObject({ verdict: 'blocked', cause: 'refused' })
    expect(await as({})).toMatchObject({ verdict: 'down', cause: 'grpc_no_grpc' })
  })
})

const { head, data, trailers, reset, goaway } = frames
const { NGHTTP2_NO_ERROR, NGHTTP2_INTERNAL_ERROR, NGHTTP2_REFUSED_STREAM, NGHTTP2_CANCEL } = http2.constants
const { NGHTTP2_ENHANCE_YOUR_CALM } = http2.constants
const stays = (): void => undefined
const ends = (socket: Socket): void => void socket.end()

const closedEarly = 'the connection was closed without a response'
const incomplete = 'the connection ended before the response was complete'

describe('a server', () => {
  test.each<[string, (socket: Socket) => void, string, string]>([
    [
      'resets the stream',
      sends(stays, reset(NGHTTP2_REFUSED_STREAM)),
      'grpc_reset',
      'the request was reset with REFUSED_STREAM',
    ],
    [
      'resets the stream without an error',
      sends(stays, reset(NGHTTP2_NO_ERROR)),
      'connection_closed',
      closedEarly,
    ],
    [
      'resets the stream inside the answer',
      sends(stays, head, data(serving), reset(NGHTTP2_INTERNAL_ERROR)),
      'grpc_reset',
      'the request was reset with INTERNAL_ERROR',
    ],
    [
      'is too busy',
      sends(stays, goaway(NGHTTP2_ENHANCE_YOUR_CALM, 0)),
      'grpc_goaway',
      'the server ended the connection with ENHANCE_YOUR_CALM',
    ],
    [
      'shuts down',
      sends(stays, goaway(NGHTTP2_NO_ERROR, 0)),
      'grpc_goaway',
      'the server ended the connection without an answer',
    ],
    [
      'shuts down inside the answer',
      sends(ends, head, goaway(NGHTTP2_NO_ERROR, 1)),
      'grpc_goaway',
      'the server ended the connection without an answer',
    ],
    [
      'sends an unknown error',
      sends(stays, goaway(77, 1)),
      'grpc_goaway',
      'the server ended the connection with code 77',
    ],
    ['ends the connection', sends(ends), 'connection_closed', closedEarly],
    [
      'ends the connection inside the answer',
      sends(ends, head, data(serving)),
      'body_incomplete',
      incomplete,
    ],
    [
      'ends the connection inside a frame',
      sends(ends, head, data(serving).subarray(0, 12)),
      'body_incomplete',
      incomplete,
    ],
  ])('that %s is down', async (_, talk, cause, reason) => {
    const peer = await startPeer(talk)
    expect((await probe({ port: peer.port })).judgement).toEqual(down(cause, reason))
    await peer.ended
  })

  test.each<[string, (socket: Socket) => void]>([
    ['ends the connection', sends(ends, head, data(serving), trailers)],
    ['shuts down', sends(ends, goaway(NGHTTP2_NO_ERROR, 1), head, data(serving), trailers)],
    ['resets the stream', sends(stays, head, data(serving), trailers, reset(NGHTTP2_CANCEL))],
    [
      'answers in pieces',
      sends(stays, head, data(serving.subarray(0, 3)), data(serving.subarray(3)), trailers),
    ],
  ])('that answers and %s is up', async (_, talk) => {
    const peer = await startPeer(talk)
    expect((await probe({ port: peer.port })).judgement).toEqual(up)
    await peer.ended
  })

  test.each<[string, (reach: () => void) => Play, string, string]>([
    ['never answers', (reach) => reach, 'response_timeout', 'no response within 20 s'],
    [
      'never ends its answer',
      (reach) => (stream) => {
        stream.respond(grpc)
        stream.write(serving, reach)
      },
      'body_timeout',
      'the response was not complete within 20 s',
    ],
  ])('that %s is down at the deadline', async (_, play, cause, reason) => {
    const { next } = stopTime()
    const reach = (): void => void next()
    expect(await judge(play(reach))).toEqual(down(cause, reason))
  })

  test('that sends settings without end is cut off', async () => {
    const port = await serve(
      () => undefined,
      (session) => {
        let sent = 0
        const more = (): void => {
          sent += 1
          if (sent < 1_000 && !session.destroyed) session.settings({ initialWindowSize: 65_535 + sent }, more)
        }
        more()
      },
    )
    expect((await probe({ port })).judgement).toEqual(
      down('grpc_too_large', 'the server sends HTTP/2 settings without end'),
    )
  })

  test.each([
    ['pings', frames.ping],
    ['unknown frames', frames.unknown],
  ])('that sends %s without end is cut off', async (_, frame) => {
    const many = Buffer.concat(Array.from({ length: 100 }, () => frame))
    const peer = await startPeer(sends(flood(many)))
    const { judgement } = await probe({ port: peer.port })
    expect(judgement).toMatchObject({ verdict: 'down', fault: 'target' })
    await peer.ended
  })
})

describe('a port of another protocol', () => {
  test.each<[string, (socket: Socket) => void, string, string]>([
    [
      'HTTP/1.1',
      (socket) => void socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      'http_version',
      'the server does not support HTTP/2, which the check requires',
    ],
    [
      'SSH',
      (socket) => void socket.write('SSH-2.0-OpenSSH_9.2\r\n'),
      'bad_http',
      'the answer is not valid HTTP',
    ],
    [
      'TLS',
      (socket) => void socket.once('data', () => socket.end(Buffer.from('15030100020246', 'hex'))),
      'grpc_tls_expected',
      'the server expects TLS, which the check does not use',
    ],
    [
      'none, which closes at once',
      (socket) => void socket.once('data', () => socket.end()),
      'connection_closed',
      'the connection was closed without a response',
    ],
    [
      'none, which resets',
      (socket) => void socket.once('data', () => socket.resetAndDestroy()),
      'connection_reset',
      'the connection was reset',
    ],
  ])('%s is down', async (_, talk, cause, reason) => {
    const peer = await startPeer(talk)
    expect((await probe({ port: peer.port })).judgement).toEqual(down(cause, reason))
    await peer.ended
  })

  const certificates = useOnce(() => createCertificates())
  afterAll(() => certificates.remove())

  test.each([['http/1.1'], []])('TLS with the protocols [%s] is down', async (...ALPNProtocols) => {
    const server = tls.createServer({ ...certificates.leaf('api.localhost'), ALPNProtocols })
    server.on('tlsClientError', () => undefined)
    server.on('secureConnection', (socket) => socket.on('error', () => undefined))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const trust = createTrust([certificates.ca])
    const { judgement } = await probe({ port: portOf(server), security: 'tls' }, {}, { trust })
    expect(judgement).toEqual(
      down('http_version', 'the server does not support HTTP/2, which the check requires'),
    )
  })
})
