import { describe, expect, onTestFinished, test } from 'vitest'
import { leniencies } from '../http1/notes.ts'
import { createLargeHeads } from './large-heads.ts'
import { ask } from './testing/ask.ts'
import { startRawServer, type RawServer } from './testing/raw-server.ts'

const serve = async (answer: Parameters<typeof startRawServer>[0]): Promise<RawServer> => {
  const server = await startRawServer(answer)
  onTestFinished(server.close)
  return server
}
const at = (server: RawServer, path = '/'): string => `http://127.0.0.1:${server.port}${path}`
const saying = (text: string) => serve((socket) => socket.end(text, 'latin1'))
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

describe('a request', () => {
  test('is one GET with a User-Agent, for path and query only', async () => {
    const server = await saying(ok)
    const outcome = await ask(at(server, '/a?b=c#d'))
    expect(outcome).toMatchObject({ ok: true, status: 200, hops: 0, address: '127.0.0.1' })
    expect(server.requests).toEqual([
      [
        'GET /a?b=c HTTP/1.1',
        `host: 127.0.0.1:${server.port}`,
        'user-agent: ProbeMesh/test (+uptime monitoring)',
        'accept: */*',
        'accept-encoding: gzip, deflate, br',
        'connection: close',
        '\r\n',
      ].join('\r\n'),
    ])
  })

  test('has a duration for each completed phase, and none for the others', async () => {
    const outcome = await ask(at(await saying(ok)))
    expect(outcome.timings).toEqual({
      dnsMs: null,
      connectMs: expect.any(Number),
      tlsMs: null,
      ttfbMs: expect.any(Number),
      transferMs: expect.any(Number),
    })
    const { connectMs, ttfbMs, transferMs } = outcome.timings
    const phases = (connectMs ?? 0) + (ttfbMs ?? 0) + (transferMs ?? 0)
    expect(outcome.latencyMs).toBeGreaterThanOrEqual(Math.round((phases - 0.2) * 10) / 10)
    expect(Math.round(outcome.latencyMs * 10) / 10).toBe(outcome.latencyMs)
  })

  test('reports the end of its first connection attempt', async () => {
    let connected = 0
    const onConnected = (): void => {
      connected += 1
    }
    const server = await serve((socket) => {
      expect(connected).toBe(1)
      socket.end(ok)
    })
    await ask(at(server), { onConnected })
    connected = 0
    await ask('http://10.0.0.1/', { onConnected })
    expect(connected).toBe(1)
  })
})

describe('faults of a server', () => {
  const head = 'HTTP/1.1 200 OK\r\n'
  test.each<[string, string, string]>([
    ['closes without a word', '', 'connection_closed'],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', 'bad_http'],
    ['has a bad status line', 'HTTP/1.1 OK\r\n\r\n', 'bad_http'],
    ['ends inside the head', `${head}Content-Le`, 'connection_closed'],
    ['sends 1 MB of header', `${head}X-A: ${'a'.repeat(1_048_576)}\r\n\r\n`, 'headers_too_large'],
    ['has a NUL in a header', `${head}A: b\0\r\n\r\n`, 'bad_http'],
    ['has two lengths', `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`, 'bad_http'],
    ['has a bad chunk size', `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n`, 'bad_http'],
    ['ends inside a chunk', `${head}Transfer-Encoding: chunked\r\n\r\n5\r\nok`, 'body_incomplete'],
    ['ends between chunks', `${head}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n`, 'body_incomplete'],
    ['sends less than its length', `${head}Content-Length: 9\r\n\r\nok`, 'body_incomplete'],
    ['floods 103', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(50), 'bad_http'],
    ['floods 100', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(50), 'bad_http'],
    [
      'switches protocols',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      'bad_http',
    ],
  ])('that %s', async (_, text, cause) => {
    const outcome = await ask(at(await saying(text)))
    expect(outcome).toMatchObject({ ok: false, cause, fault: 'target' })
  })

  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nA: b\r\n\r\n'
  test.each<[string, string, number, string]>([
    ['one 103 before the answer', `HTTP/1.1 103 Early Hints\r\n\r\n${ok}`, 200, 'ok'],
    ['a body after 204', 'HTTP/1.1 204 No Content\r\n\r\nnonsense', 204, ''],
    ['a body after 304', 'HTTP/1.1 304 Not Modified\r\n\r\nnonsense', 304, ''],
    ['more than its length', `${ok} and more`, 200, 'ok'],
    ['a second answer', ok + ok, 200, 'ok'],
    ['no length at all', 'HTTP/1.1 200 OK\r\n\r\nuntil the end', 200, 'until the end'],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nok', 200, 'ok'],
    ['chunk trailers', chunked, 200, 'ok'],
    ['more than its chunks', `${chunked}more`, 200, 'ok'],
    ['a status of its own', 'HTTP/1.1 799 Odd\r\nContent-Length: 0\r\n\r\n', 799, ''],
  ])('are forgiven, and what is valid is read: %s', async (_, text, status, body) => {
    const outcome = await ask(at(await saying(text)))
    expect(outcome).toMatchObject({ ok: true, status })
    expect(outcome.ok && outcome.body?.bytes.toString()).toBe(body)
  })

  test('violations that browsers accept are no fault, and recorded', async () => {
    const odd = `${head}Nonsense\r\nA: b\r\n c\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok`
    expect(await ask(at(await saying(odd)))).toMatchObject({
      ok: true,
      status: 200,
      headers: { a: 'b c' },
      notes: [leniencies.noColon, leniencies.folded, leniencies.lengthTwice],
    })
    expect(await ask(at(await saying(ok)))).toMatchObject({ ok: true, notes: [] })
  })

  test('headers of 250 KiB are read while there is memory, which is released', async () => {
    const large = await saying(`${head}X-A: ${'a'.repeat(250 * 1024)}\r\nContent-Length: 2\r\n\r\nok`)
    const heads = createLargeHeads({ places: 1, placesOfOwner: 1, waiting: 0, waitingOfOwner: 0 })
    const largeHead = () => heads.take('a')
    expect(await ask(at(large), {}, { largeHead })).toMatchObject({ ok: true, status: 200 })
    expect(heads.pool.taken).toBe(0)
    const held = heads.take('b')
    expect(await ask(at(large), {}, { largeHead })).toMatchObject({
      cause: 'probe_overloaded',
      fault: 'probe',
    })
    expect(await ask(at(await saying(ok)), {}, { largeHead })).toMatchObject({ ok: true })
    held?.release()
    const tooLarge = await saying(`${head}X-A: ${'a'.repeat(256 * 1024)}\r\n\r\n`)
    expect(await ask(at(tooLarge), {}, { largeHead })).toMatchObject({ cause: 'headers_too_large' })
    expect(heads.pool.taken).toBe(0)
  })

  test('a reset inside the body has its own cause', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok', () => socket.resetAndDestroy())
    })
    expect(await ask(at(server))).toMatchObject({ ok: false, cause: 'body_incomplete' })
  })

  test('a reset before the answer has its own cause', async () => {
    const server = await serve((socket) => socket.resetAndDestroy())
    const outcome = await ask(at(server))
    expect(outcome).toMatchObject({ ok: false, cause: 'connection_reset', fault: 'target' })
    expect(outcome.timings).toMatchObject({ connectMs: expect.any(Number), ttfbMs: null })
  })

  test('a closed port refuses the connection', async () => {
    const server = await startRawServer(() => undefined)
    await server.close()
    expect(await ask(at(server))).toMatchObject({
      ok: false,
      cause: 'connection_refused',
      fault: 'target',
      address: '127.0.0.1',
      timings: { connectMs: null, ttfbMs: null },
    })
  })
})

describe('the deadline', () => {
  /** A deadline that the test triggers: a short time could pass before the connection is open. */
  const deadlineOf = (deadlineMs: number) => {
    const controller = new AbortController()
    const reach = (): void => controller.abort(new DOMException('reached', 'TimeoutError'))
    return { reach, bounds: { deadlineMs, signal: controller.signal } }
  }
  const drip = (prefix: string, begun: () => void = () => undefined) =>
    serve((socket) => {
      socket.write(prefix, begun)
      const timer = setInterval(() => socket.write('a'), 20)
      socket.on('close', () => clearInterval(timer))
    })

  test('ends a silent server', async () => {
    const { reach, bounds } = deadlineOf(150)
    const outcome = await ask(at(await serve(reach)), bounds)
    expect(outcome).toMatchObject({
      ok: false,
      cause: 'response_timeout',
      fault: 'target',
      reason: 'no response within 150 ms',
    })
  })

  test('ends a head that drips', async () => {
    const { reach, bounds } = deadlineOf(150)
    const server = await drip('HTTP/1.1 200 OK\r\nX-A: ', () => setTimeout(reach, 100))
    expect(await ask(at(server), bounds)).toMatchObject({ cause: 'response_timeout' })
  })

  test.each([true, false])('ends a body that drips, stored or not (%s)', async (keep) => {
    const server = await drip('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n')
    const { reach, bounds } = deadlineOf(150)
    const needsBody = (): boolean => {
      setTimeout(reach, 100)
      return keep
    }
    const outcome = await ask(at(server), { ...bounds, needsBody })
    expect(outcome).toMatchObject({ cause: 'body_timeout', timings: { transferMs: null } })
    expect(outcome.timings.ttfbMs).not.toBeNull()
  })

  test.each([
    ['a length of which nothing comes', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'],
    ['a body that stalls', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok'],
    ['a stream without an event', 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n'],
  ])('ends %s', async (_, first) => {
    const { reach, bounds } = deadlineOf(150)
    const server = await serve((socket) => socket.write(first, () => setTimeout(reach, 200)))
    const anyBody = { judgesBody: false, needsBody: () => false }
    const outcome = await ask(at(server), { ...bounds, ...anyBody })
    expect(outcome).toMatchObject({ ok: false, fault: 'target' })
    expect(['body_timeout', 'response_timeout']).toContain(!outcome.ok && outcome.cause)
  })

  test('holds for all hops together', async () => {
    const { reach, bounds } = deadlineOf(200)
    const server: RawServer = await serve((socket) => {
      if (server.requests.length === 3) reach()
      else socket.end('HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n')
    })
    const outcome = await ask(at(server), bounds)
    expect(outcome).toMatchObject({ cause: 'response_timeout', hops: 2 })
  })

  test('of an agent that stops is not the target’s', async () => {
    const stop = new AbortController()
    const server = await serve(() => stop.abort(new Error('closing')))
    const outcome = await ask(at(server), { signal: stop.signal })
    expect(outcome).toMatchObject({ cause: 'probe_stopped', fault: 'probe' })
  })

  test('that has already passed starts nothing', async () => {
    const server = await saying(ok)
    const outcome = await ask(at(server), { signal: AbortSignal.abort(new Error('closing')) })
    expect(outcome).toMatchObject({ cause: 'probe_stopped' })
    expect(server.requests).toEqual([])
  })

  test('leaves no connection behind', async () => {
    const closed = Promise.withResolvers<void>()
    const { reach, bounds } = deadlineOf(100)
    const server = await serve((socket) => {
      socket.on('close', () => closed.resolve())
      reach()
    })
    await ask(at(server), bounds)
    await closed.promise
  })
})
