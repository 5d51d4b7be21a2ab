import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import packet, { type Answer } from 'dns-packet'
import { describe, expect, onTestFinished, test } from 'vitest'
import { allowing } from '@probe-mesh/probe-agent/src/request/testing/ask'
import { stopTime, type StoppedTime } from '@probe-mesh/probe-agent/src/testing/stop-time'
import { ignoredMax } from './query-udp.ts'
import { datagramBytesMax } from '@probe-mesh/probe-agent/src/dns/udp-sockets'
import { answersMax } from '@probe-mesh/probe-agent/src/dns/message'
import { answering, serving, startDnsServer, truncated, type DnsQuery } from './testing/dns-server.ts'
import { probe, server } from './testing/probe.ts'

const record: Answer = { name: 'www.example.org', type: 'A', ttl: 60, data: '192.0.2.1' }
const good = (asked: DnsQuery): void => asked.send(answering(asked, [record]))

describe('what a resolver answers', () => {
  test.each([
    ['SERVFAIL', 2, 'resolver_failed: the resolver could not answer (SERVFAIL)'],
    ['FORMERR', 1, 'resolver_failed: the resolver could not answer (FORMERR)'],
    ['NOTIMP', 4, 'resolver_failed: the resolver could not answer (NOTIMP)'],
    ['RCODE11', 11, 'resolver_failed: the resolver could not answer (RCODE11)'],
    ['REFUSED', 5, 'resolver_refused: the resolver refused the query (REFUSED)'],
    ['NXDOMAIN', 3, 'dns_not_found: the name does not exist (NXDOMAIN)'],
  ])('%s is down and noted', async (rcode, number, said) => {
    const { resolver } = await server((asked) => asked.send(answering(asked, [], number)))
    const probed = await probe({ resolver })
    expect(probed.said).toBe(`down target ${said}`)
    expect(probed.details).toEqual({ type: 'dns', rcode, ttlSeconds: null, values: [] })
    expect(probed.trace.answered).toBe(true)
  })

  test('REFUSED counts also without the question', async () => {
    const { resolver } = await server((asked) => asked.send({ ...answering(asked, [], 5), questions: [] }))
    expect((await probe({ resolver })).judgement.cause).toBe('resolver_refused')
  })
})

describe('an answer that is too long for a datagram', () => {
  const values = Array.from({ length: 512 }, (_, at) => `198.51.${at >> 8}.${at & 255}`)
  const many = values.map((data): Answer => ({ ...record, type: 'A', data }))

  test('comes over TCP with all 512 records, and 20 are recorded', async () => {
    const { resolver, queries: asked } = await server(serving(many))
    for (const [start, verdict] of [
      [0, 'up'],
      [1, 'down'],
    ] as const) {
      const all = await probe({ resolver, expect: { op: 'equals', values: values.slice(start) } })
      expect(all.judgement.verdict).toBe(verdict)
      expect(all.details.values).toHaveLength(20)
    }
    expect(asked.slice(0, 2)).toEqual(['udp A www.example.org', 'tcp A www.example.org'])
  })

  test('is bad when it has more records than any name', async () => {
    const stray: Answer = { ...record, name: '.' }
    const filled = (count: number): Answer[] => Array.from({ length: count }, () => stray)
    const most = await server(serving([...filled(answersMax - 1), record]))
    expect((await probe({ resolver: most.resolver })).said).toBe('up none ok: null')
    const more = await server(serving([...filled(answersMax), record]))
    expect((await probe({ resolver: more.resolver })).judgement.cause).toBe('resolver_bad_answer')
  })

  test.each<[what: string, (asked: DnsQuery, time: StoppedTime) => void, said: string]>([
    [
      'closes without a byte',
      ({ socket }) => socket?.end(),
      'resolver_tcp_failed: the answer of the resolver needs TCP, which failed: the connection was closed without a response',
    ],
    [
      'ends in the middle',
      ({ socket }) => socket?.end(Buffer.from([1, 0, 7])),
      'resolver_tcp_failed: the answer of the resolver needs TCP, which failed: the connection ended before the response was complete',
    ],
    [
      'resets',
      ({ socket }) => socket?.resetAndDestroy(),
      'resolver_tcp_failed: the answer of the resolver needs TCP, which failed: the connection was reset',
    ],
    [
      'says nothing',
      (_, time) => void time.next(),
      'resolver_tcp_failed: the answer of the resolver needs TCP, which failed: no response within 10 s',
    ],
    [
      'drips and never ends',
      ({ socket }, time) => {
        socket?.write(Buffer.from([0xff, 0xff]))
        let drips = 0
        const drip = setInterval(() => socket?.write('x', () => ++drips === 5 && void time.next()), 1)
        socket?.once('close', () => clearInterval(drip))
      },
      'resolver_tcp_failed: the answer of the resolver needs TCP, which failed: the response was not complete within 10 s',
    ],
    [
      'answers another question',
      (asked) => asked.send(answering({ ...asked, id: asked.id ^ 1 }, [record])),
      'resolver_bad_answer: the resolver sent data over TCP that is malformed or answers another question',
    ],
    [
      'is cut short there too',
      (asked) => asked.send(truncated(asked)),
      'resolver_bad_answer: the resolver sent data over TCP that is malformed or answers another question',
    ],
    [
      'sends an empty message',
      ({ socket }) => socket?.write(Buffer.from([0, 0])),
      'resolver_bad_answer: the resolver sent data over TCP that is malformed or answers another question',
    ],
  ])('is down where TCP %s', async (_, overTcp, said) => {
    const time = stopTime()
    const { resolver } = await server((asked) =>
      asked.via === 'udp' ? asked.send(truncated(asked)) : overTcp(asked, time),
    )
    const probed = await probe({ resolver })
    expect(probed.said).toBe(`down target ${said}`)
    expect(probed.trace.answered).toBe(true)
    expect(probed.trace.timings.dnsMs).toBeNull()
  })

  test('is also read when it drips in time', async () => {
    const { resolver } = await server((asked) => {
      if (asked.via === 'udp') return asked.send(truncated(asked))
      const bytes = packet.encode(answering(asked, [record]))
      asked.socket?.setNoDelay(true)
      for (const byte of [0, bytes.length, ...bytes]) asked.socket?.write(Buffer.from([byte]))
    })
    expect((await probe({ resolver })).said).toBe('up none ok: null')
  })
})

describe('datagrams that are no answer', () => {
  const loop = (asked: DnsQuery): Buffer => {
    const bytes = packet.encode(answering(asked, [record]))
    const ownerAt = bytes.length - 10 - 4 - 17
    bytes.writeUInt16BE(0xc000 | ownerAt, ownerAt)
    return bytes
  }
  const kinds: [what: string, make: (asked: DnsQuery) => Buffer][] = [
    ['another id', (asked) => encoded({ ...asked, id: asked.id ^ 0x8000 })],
    ['another name', (asked) => encoded(asked, { ...asked.question, name: 'www.example.com' })],
    ['another type', (asked) => encoded(asked, { ...asked.question, type: 'AAAA' })],
    ['another class', (asked) => encoded(asked, { ...asked.question, class: 'CH' })],
    ['no question', (asked) => packet.encode({ ...answering(asked, [record]), questions: [] })],
    ['the query itself', (asked) => packet.encode({ ...answering(asked, []), type: 'query' })],
    ['a compression loop', loop],
    ['half an answer', (asked) => encoded(asked).subarray(0, -3)],
    ['a record of a wrong length', (asked) => encoded(asked, asked.question, 5)],
    ['far too long', (asked) => Buffer.concat([encoded(asked), Buffer.alloc(datagramBytesMax)])],
    ['garbage', () => randomBytes(200)],
    ['nothing', () => Buffer.alloc(0)],
  ]
  const encoded = (asked: DnsQuery, question = asked.question, dataLength = 4): Buffer => {
    const bytes = packet.encode(answering({ id: asked.id, question }, [record]))
    bytes.writeUInt16BE(dataLength, bytes.length - 6)
    return bytes
  }

  test.each(kinds)('%s: the probe waits for the right one', async (_, make) => {
    const { resolver } = await server((asked) => {
      asked.send(make(asked))
      asked.send(make(asked))
      good(asked)
    })
    expect((await probe({ resolver })).said).toBe('up none ok: null')
  })

  test.each(kinds)('%s: alone, the reason says so', async (_, make) => {
    const time = stopTime()
    const { resolver } = await server((asked) => {
      asked.send(make(asked))
      void time.next()
    })
    const probed = await probe({ resolver })
    expect(probed.said).toBe(
      'down target resolver_bad_answer: the resolver sent within 10 s only data that is malformed or answers another question',
    )
    expect(probed.trace).toMatchObject({ answered: false, address: '127.0.0.1' })
  })

  test('without end are read to a limit', async () => {
    const { resolver } = await server((asked) => {
      for (let sent = 0; sent <= 4 * ignoredMax; sent += 1) asked.send(Buffer.from('no'))
    })
    expect((await probe({ resolver }, { deadlineMs: 20_000 })).said).toBe(
      'down target resolver_bad_answer: the resolver sent too many datagrams that are malformed or answer another question',
    )
  })

  test('from elsewhere do not arrive', async () => {
    const stranger = createSocket('udp4')
    onTestFinished(async () => void stranger.close())
    const { resolver } = await server((asked) => {
      const forged = packet.encode(answering(asked, [record]))
      const answer = (): void => asked.send(answering(asked, [], 3))
      stranger.send(forged, asked.from.port, asked.from.address, answer)
    })
    expect((await probe({ resolver })).judgement.cause).toBe('dns_not_found')
  })
})

describe('silence', () => {
  test('is down at the deadline, after one retransmission', async () => {
    const { resolver, queries: asked } = await server(stopTime().next)
    const { said, trace } = await probe({ resolver })
    expect(said).toBe('down target resolver_timeout: no answer from the resolver within 10 s')
    expect(trace).toMatchObject({ answered: false, address: '127.0.0.1' })
    expect(asked).toHaveLength(2)
  })

  test('after only the first datagram is no failure', async () => {
    const { next } = stopTime()
    const { resolver, queries: asked } = await server(
      (query) => void (asked.length === 2 ? good(query) : next()),
    )
    expect((await probe({ resolver })).said).toBe('up none ok: null')
  })

  test('of a closed port is reported at once', async () => {
    const { resolver, close } = await startDnsServer(() => undefined)
    await close()
    const { said } = await probe({ resolver }, { deadlineMs: 20_000 })
    expect(said).toBe('down target connection_refused: the connection was refused')
  })
})

describe('a fault of the probe is unmeasured', () => {
  const unroutable = { allow: allowing('fe80::/10', '255.255.255.255/32') }
  test.each([
    ['no route', '[fe80::1]:53', 'no_route: the probe has no route to the address'],
    [
      'no permission',
      '255.255.255.255',
      'probe_forbidden: the system of the probe does not allow the connection',
    ],
  ])('%s', async (_, resolver, said) => {
    const probed = await probe({ resolver }, { capabilities: unroutable })
    expect(probed.said).toBe(`unmeasured probe ${said}`)
  })

  test('the agent stops', async () => {
    const controller = new AbortController()
    const { resolver } = await server(() => controller.abort(new Error('stopping')))
    const { said } = await probe({ resolver }, { signal: controller.signal })
    expect(said).toBe('unmeasured probe probe_stopped: the probe was stopped during the run')
  })

  test('the agent has stopped before', async () => {
    const { resolver, queries: asked } = await server(good)
    const { judgement } = await probe({ resolver }, { signal: AbortSignal.abort(new Error('no')) })
    expect(judgement.cause).toBe('probe_stopped')
    expect(asked).toEqual([])
  })
})
