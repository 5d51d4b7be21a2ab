import { describe, expect, test } from 'vitest'
import { allowing, resolverOf } from '@probe-mesh/probe-agent/src/request/testing/ask'
import { stopTime } from '@probe-mesh/probe-agent/src/testing/stop-time'
import { closedPort, drip, flood, startPeer } from './testing/peer.ts'
import { detailsOf } from './testing/probing.ts'
import { down, probe, up } from './testing/probing-tcp.ts'

const unsafe = {
  verdict: 'unmeasured',
  fault: 'probe',
  cause: 'unsafe_target',
  reason: 'the target address is not allowed',
}
const bannerOf = (text: string | Buffer) => startPeer((socket) => void socket.write(text))

describe('a connection', () => {
  test('is up by itself, and is closed without waiting for a banner', async () => {
    const peer = await startPeer()
    const { trace, judgement } = await probe({ port: peer.port })
    expect(judgement).toEqual(up)
    expect(trace).toEqual({
      answered: true,
      unroutable: [],
      httpStatus: null,
      latencyMs: expect.any(Number),
      timings: {
        dnsMs: null,
        connectMs: expect.any(Number),
        tlsMs: null,
        ttfbMs: null,
        transferMs: null,
      },
      address: '127.0.0.1',
      certificateExpiresAt: null,
      certificate: null,
      details: { type: 'tcp', received: null },
    })
    expect(await peer.ended).toBe('closed')
    expect(peer.received).toBe('')
  })

  test('is not reset by the probe when the server had something to send', async () => {
    const peer = await bannerOf('220 ready\r\n')
    expect((await probe({ port: peer.port })).judgement).toEqual(up)
    expect(await peer.ended).toBe('closed')
  })

  test('does not stay open for a server that keeps sending', async () => {
    const peer = await startPeer(flood(Buffer.alloc(64 * 1024)))
    expect((await probe({ port: peer.port })).judgement).toEqual(up)
    await peer.ended
  })

  test('that is refused is down', async () => {
    const { trace, judgement } = await probe({ port: await closedPort() })
    expect(judgement).toEqual(down('connection_refused', 'the connection was refused'))
    expect(trace).toMatchObject({ answered: false, timings: { connectMs: null } })
  })

  test('to a name has the duration of its resolution, and reports its connection', async () => {
    let connected = 0
    const peer = await startPeer()
    const { trace, judgement } = await probe(
      { host: 'db.example.com', port: peer.port },
      { onConnected: () => (connected += 1) },
      { resolver: resolverOf({ 'db.example.com': ['127.0.0.1'] }) },
    )
    expect(judgement).toEqual(up)
    expect(trace.timings.dnsMs).not.toBeNull()
    expect(connected).toBeGreaterThan(0)
  })

  test('reaches an IPv6 literal', async () => {
    const peer = await startPeer(() => undefined, '::1')
    const { trace, judgement } = await probe({ host: '::1', port: peer.port })
    expect(judgement).toEqual(up)
    expect(trace.address).toBe('::1')
  })

  test('falls back to IPv6 without a route for IPv4', async () => {
    const peer = await startPeer(() => undefined, '::1')
    // no machine has a TCP route to a multicast address
    const { trace, judgement } = await probe(
      { host: 'two.example.com', port: peer.port },
      {},
      {
        allow: allowing('224.0.0.0/4', '::1/128'),
        resolver: resolverOf({ 'two.example.com': ['224.0.0.1', '::1'] }),
      },
    )
    expect(judgement).toEqual(up)
    expect(trace.address).toBe('::1')
  })
})

describe('the expected text', () => {
  test.each<[string, string, string, object]>([
    ['is there', 'SSH-2.0-OpenSSH_9.2\r\n', 'SSH-2.0-', up],
    [
      'differs in case',
      'SSH-2.0-OpenSSH_9.2\r\n',
      'ssh-2.0-',
      down('expect_mismatch', 'expected to receive "ssh-2.0-", got "SSH-2.0-OpenSSH_9.2  "'),
    ],
    ['is all there is', 'ok', 'ok', up],
    ['lacks its last letter', 'o', 'ok', down('expect_mismatch', expect.any(String) as string)],
    ['holds no pattern', 'aXb', 'a.b', down('expect_mismatch', expect.any(String) as string)],
    ['is UTF-8', 'grüß dich', 'grüß', up],
    ['holds a line end', 'a\r\nb', '\r\nb', up],
  ])('%s', async (_, sent, expected, judgement) => {
    const peer = await startPeer((socket) => void socket.end(sent))
    expect((await probe({ port: peer.port, expect: expected })).judgement).toEqual(judgement)
  })

  test('is found at the end of the first 4 KB, and not one byte later', async () => {
    const fits = await bannerOf(`${'a'.repeat(4_094)}ok`)
    expect((await probe({ port: fits.port, expect: 'ok' })).judgement).toEqual(up)
    const late = await bannerOf(`${'a'.repeat(4_095)}ok`)
    expect((await probe({ port: late.port, expect: 'ok' })).judgement).toEqual(
      down('expect_mismatch', `expected to receive "ok", got "${'a'.repeat(60)}…"`),
    )
  })

  test('is found in pieces', async () => {
    const peer = await startPeer(drip('..ready..'))
    const probed = await probe({ port: peer.port, expect: 'ready' })
    expect(probed.judgement).toEqual(up)
    expect(detailsOf(probed, 'tcp').received).toMatch(/^\.\.ready/)
    expect(await peer.ended).toBe('closed')
  })

  test('has the time of its first byte, and the server’s text with escapes', async () => {
    const peer = await bannerOf('+OK \0 ready\r\n')
    const probed = await probe({ port: peer.port, expect: 'ready' })
    expect(probed.trace.timings.ttfbMs).not.toBeNull()
    expect(probed.trace.answered).toBe(true)
    expect(detailsOf(probed, 'tcp').received).toBe('+OK \\x00 ready\\r\\n')
  })

  test.each([
    ['', 'nothing', false],
    ['no', '"no"', true],
  ])('that never comes ends at the deadline, with the received text: %j', async (sent, text, answered) => {
    const { next } = stopTime()
    const peer = await startPeer((socket) => {
      socket.write(sent)
      void next()
    })
    const { judgement, trace } = await probe({ port: peer.port, expect: 'ok' })
    expect(judgement).toEqual(down('expect_timeout', `expected to receive "ok" within 20 s, got ${text}`))
    expect(trace).toMatchObject({ answered, timings: { ttfbMs: answered ? expect.any(Number) : null } })
  })

  test('that drips without end ends at the deadline', async () => {
    const peer = await startPeer(drip('.', '', stopTime().next))
    const { judgement } = await probe({ port: peer.port, expect: 'ok' })
    expect(judgement).toMatchObject({ verdict: 'down', cause: 'expect_timeout' })
    await peer.ended
  })

  test('in a flood of 50 MB ends after 4 KB', async () => {
    const peer = await startPeer(flood(Buffer.alloc(64 * 1024, 'a')))
    const probed = await probe({ port: peer.port, expect: 'ok' })
    expect(probed.judgement).toMatchObject({ verdict: 'down', cause: 'expect_mismatch' })
    expect(detailsOf(probed, 'tcp').received).toHaveLength(200)
    await peer.ended
  })

  test('when the server closes or resets the connection without sending', async () => {
    const closing = await startPeer((socket) => void socket.end())
    expect((await probe({ port: closing.port, expect: 'ok' })).judgement).toEqual(
      down('tcp_closed', 'expected to receive "ok", but the connection was closed'),
    )
    const resetting = await startPeer((socket) => {
      socket.once('data', () => socket.resetAndDestroy())
    })
    const probed = await probe({ port: resetting.port, send: 'x', expect: 'ok' })
    expect(probed.judgement).toEqual(down('connection_reset', 'the connection was reset'))
    expect(probed.trace.answered).toBe(false)
  })

  test('is quoted on one line and cut, so that a reason stays a reason', async () => {
    const peer = await startPeer((socket) => void socket.end('\u202e\r\n'.repeat(400)))
    const { judgement } = await probe({ port: peer.port, expect: 'x'.repeat(1_000) })
    expect(judgement.reason).toMatch(/^expected to receive "x{60}…", got " {60}…"$/)
  })
})

describe('the sent text', () => {
  test('arrives unchanged, and its answer is searched', async () => {
    const peer = await startPeer((socket) => {
      socket.once('data', (chunk: Buffer) => void socket.write(`echo ${chunk.toString('utf8')}`))
    })
    const probed = await probe({ port: peer.port, send: 'PING ü\r\n', expect: 'echo PING ü\r\n' })
    expect(probed.judgement).toEqual(up)
    expect(probed.trace.timings.ttfbMs).not.toBeNull()
    expect(peer.received).toBe('PING ü\r\n')
  })

  test('without an expectation needs no answer', async () => {
    const peer = await startPeer()
    const probed = await probe({ port: peer.port, send: 'metric 1\n' })
    expect(probed.judgement).toEqual(up)
    await peer.ended
    expect(peer.received).toBe('metric 1\n')
  })

  test('a banner that comes first counts as received', async () => {
    const peer = await startPeer((socket) => {
      socket.write('hello\n')
      socket.once('data', () => void socket.write('world\n'))
    })
    const probed = await probe({ port: peer.port, send: 'x', expect: 'hello' })
    expect(probed.judgement).toEqual(up)
  })
})

describe('what is not a target', () => {
  test.each([
    ['a private address', { host: '10.0.0.1' }],
    ['another spelling of one', { host: '0x0a.1' }],
    ['a name for internal networks', { host: 'db.internal' }],
    ['a name that leads to a private address', { host: 'rebound.example.com' }],
    ['a name of a mixed answer', { host: 'mixed.example.com' }],
    [
      'a port of another protocol, where something is sent',
      { host: 'db.example.com', port: 6379, send: 'x' },
    ],
  ])('is not measured: %s', async (_, settings) => {
    const peer = await startPeer()
    const { trace, judgement } = await probe(
      { port: peer.port, ...settings },
      {},
      {
        allow: allowing('127.0.0.1/32'),
        resolver: resolverOf({
          'db.example.com': ['127.0.0.1'],
          'rebound.example.com': ['10.0.0.1'],
          'mixed.example.com': ['127.0.0.1', '10.0.0.1'],
        }),
      },
    )
    expect(judgement).toEqual(unsafe)
    expect(trace).toMatchObject({ answered: false, address: null })
    expect(peer.connections).toBe(0)
  })
})

describe('whose fault it was', () => {
  test('an unknown name is the target’s', async () => {
    const { judgement } = await probe({ host: 'none.example.com', port: 22 })
    expect(judgement).toMatchObject({ verdict: 'down', cause: 'dns_not_found' })
  })

  test('a failing resolver is the probe’s', async () => {
    const resolver = resolverOf({ 'db.example.com': 'ESERVFAIL' })
    const { judgement } = await probe({ host: 'db.example.com', port: 22 }, {}, { resolver })
    expect(judgement).toMatchObject({ verdict: 'unmeasured', cause: 'dns_server_failure' })
  })

  test('a resolver that is silent until the deadline is the probe’s', async () => {
    const { next } = stopTime()
    const never = () => (void next(), new Promise<string[]>(() => undefined))
    const { judgement } = await probe(
      { host: 'db.example.com', port: 22 },
      {},
      { resolver: { resolve4: never, resolve6: never } },
    )
    expect(judgement).toMatchObject({ verdict: 'unmeasured', cause: 'dns_unreachable' })
  })

  test('a stop of the agent is the probe’s', async () => {
    const stop = new AbortController()
    const peer = await startPeer(() => stop.abort(new Error('closing')))
    const { judgement } = await probe({ port: peer.port, expect: 'ok' }, { signal: stop.signal })
    expect(judgement).toMatchObject({ verdict: 'unmeasured', cause: 'probe_stopped' })
  })
})
