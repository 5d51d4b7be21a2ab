import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import net from 'node:net'
import {
  answering,
  startDnsServer,
  type DnsQuery,
} from '@probe-mesh/check-types/dns/probe/testing/dns-server'
import { portOf } from '@probe-mesh/probe-agent/src/request/testing/raw-server'
import type { Answer } from 'dns-packet'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLookUps, lookUpBounds } from './look-up.ts'
import { createServers, optionsIn, type ServerList, type Servers } from './servers.ts'

const name = 'www.example.org'
const address: Answer = { name, type: 'A', ttl: 60, data: '192.0.2.1' }
const found = { code: 'OK', values: ['192.0.2.1'] }
const answer = (query: DnsQuery): void => query.send(answering(query, [address]))
const now = (): number => performance.now()

const serverWith = async (reply: (query: DnsQuery) => void) => {
  const server = await startDnsServer(reply)
  onTestFinished(server.close)
  return server
}

const lookUpsWith = (list: string[] | ServerList, bounds = lookUpBounds) => {
  const read = () => (Array.isArray(list) ? { servers: list } : list)
  const servers: Servers = createServers({ read, now })
  const lookUps = createLookUps({ servers, now }, bounds)
  onTestFinished(lookUps.close)
  return { ...lookUps, counts: lookUps.counts, servers, a: () => lookUps.ask({ name, type: 'A' }) }
}

/** A port of loopback where nothing listens. */
const closedPort = async (): Promise<string> => {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  server.close()
  await once(server, 'close')
  return `127.0.0.1:${port}`
}

describe('the servers of the machine', () => {
  test('are asked in their order, and one that refuses is followed by the next', async () => {
    const [first, second] = [await serverWith(answer), await serverWith(answer)]
    const { a } = lookUpsWith([await closedPort(), first.resolver, second.resolver])
    for (let times = 0; times < 5; times += 1) expect(await a()).toMatchObject(found)
    expect([first.queries.length, second.queries.length]).toEqual([5, 0])
  })

  test('that are silent are asked twice each, and the next one after the time of the first', async () => {
    const silent = await serverWith(() => undefined)
    const other = await serverWith(() => undefined)
    const { a, counts } = lookUpsWith([silent.resolver, other.resolver])
    expect(await a()).toMatchObject({ code: 'ETIMEOUT', values: [] })
    expect([silent.queries.length, other.queries.length, counts.repeated]).toEqual([2, 2, 3])
  }, 20_000)

  test('that fail later are followed by the next, and asked again once they answer', async () => {
    let isSilent = false
    const first = await serverWith((query) => (isSilent ? undefined : answer(query)))
    const second = await serverWith(answer)
    const { a, servers } = lookUpsWith([first.resolver, second.resolver])
    for (let times = 0; times < 3; times += 1) await a()
    isSilent = true
    expect(await a()).toMatchObject(found)
    const asked = first.queries.length
    expect(await a()).toMatchObject(found)
    // the failed one is not waited for
    expect(first.queries.length).toBe(asked)
    isSilent = false
    for (const server of servers.ordered()) server.retryAt = 0
    await a()
    await expect.poll(() => servers.ordered().map(({ failures }) => failures)).toEqual([0, 0])
    expect(servers.ordered()[0]?.address.port).toBe(first.port)
  })

  test.each([
    [2, 'ESERVFAIL'],
    [5, 'EREFUSED'],
    [1, 'EFORMERR'],
    [4, 'ENOTIMP'],
    [3, 'ENOTFOUND'],
  ])('that answer with code %d are believed: %s', async (rcode, code) => {
    const first = await serverWith((query) => query.send(answering(query, [], rcode)))
    const second = await serverWith(answer)
    expect(await lookUpsWith([first.resolver, second.resolver]).a()).toMatchObject({ code })
    expect(second.queries).toEqual([])
  })

  test('without any is refused, and a name that no server can be reached for too', async () => {
    expect(await lookUpsWith([]).a()).toMatchObject({ code: 'ECONNREFUSED' })
    expect(await lookUpsWith([await closedPort()]).a()).toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('an answer to an earlier try counts, without a second question to others', async () => {
    let first: DnsQuery | null = null
    const server = await serverWith((query) => {
      if (query.question.name !== name || server.queries.length <= 3) return answer(query)
      if (first === null) first = query
      else answer(first)
    })
    const { a } = lookUpsWith([server.resolver])
    for (let times = 0; times < 3; times += 1) await a()
    expect(await a()).toMatchObject(found)
    expect(server.queries).toHaveLength(5)
  })

  test('that changed are asked within seconds, and those that stay keep their record', async () => {
    const [old, stays, added] = [await serverWith(answer), await serverWith(answer), await serverWith(answer)]
    let at = 0
    let list = [old.resolver, stays.resolver]
    const servers = createServers({ read: () => ({ servers: list }), now: () => at })
    onTestFinished(servers.close)
    const before = servers.ordered()
    list = [added.resolver, stays.resolver]
    at = 9_000
    expect(servers.ordered()).toEqual(before)
    at = 10_000
    expect(servers.ordered().map((each) => each.address.port)).toEqual([added.port, stays.port])
    expect(servers.ordered()[1]).toBe(before[1])
    expect(servers.texts()).toEqual(list)
  })

  test('a look-up that waits for a removed server goes on with the others', async () => {
    const silent = await serverWith(() => undefined)
    const other = await serverWith(answer)
    let list = [silent.resolver]
    let at = 0
    const servers = createServers({ read: () => ({ servers: list }), now: () => at })
    const lookUps = createLookUps({ servers, now })
    onTestFinished(lookUps.close)
    const waits = lookUps.ask({ name, type: 'A' })
    await expect.poll(() => silent.queries).toHaveLength(1)
    list = [other.resolver]
    at = 10_000
    expect(await lookUps.ask({ name, type: 'A' })).toMatchObject(found)
    expect(await waits).toMatchObject(found)
  })

  test.each([
    [
      'options rotate\nnameserver 192.0.2.1\n  options\ttimeout:1  use-vc ',
      ['rotate', 'timeout:1', 'use-vc'],
    ],
    ['# options rotate\nsearch options rotate\noptions', []],
  ])('have the options of resolv.conf: %j', (text, options) => {
    expect([...optionsIn(text)]).toEqual(options)
  })

  test('are asked over TCP only where resolv.conf says so, and in any order with rotate', async () => {
    const servers = await Promise.all([1, 2].map(() => serverWith(answer)))
    const list = servers.map(({ resolver }) => resolver)
    expect(await lookUpsWith({ servers: list, tcpOnly: true }).a()).toMatchObject(found)
    expect(servers[0]?.queries).toEqual([`tcp A ${name}`])
    const { a } = lookUpsWith({ servers: list, rotate: true })
    for (let times = 0; times < 40; times += 1) await a()
    expect(Math.min(...servers.map(({ queries }) => queries.length))).toBeGreaterThan(1)
  })
})

describe('a truncated answer', () => {
  const truncating = (query: DnsQuery, then: (query: DnsQuery) => void): void => {
    if (query.via === 'tcp') return then(query)
    const empty = answering(query, [])
    query.send({ ...empty, flags: (empty.flags ?? 0) | 0x200 })
  }

  test.each<[string, (query: DnsQuery) => void, code: string]>([
    ['is whole over TCP', answer, 'OK'],
    ['says over TCP that the server failed', (query) => query.send(answering(query, [], 2)), 'ESERVFAIL'],
    ['of a server that closes', (query) => void query.socket?.destroy(), 'ECONNREFUSED'],
    ['followed by octets that are no message', (query) => query.send(Buffer.alloc(40, 7)), 'EBADRESP'],
    [
      'over TCP of another id',
      (query) => query.send({ ...answering(query, [address]), id: query.id ^ 1 }),
      'EBADRESP',
    ],
    [
      'that comes octet by octet',
      (query) => {
        const { socket } = query
        const write = socket?.write.bind(socket)
        if (socket === null || write === undefined) return
        socket.setNoDelay(true)
        socket.write = ((bytes: Buffer) => [...bytes].every((octet) => write(Buffer.from([octet])))) as never
        answer(query)
      },
      'OK',
    ],
  ])('%s', async (_, then, code) => {
    const server = await serverWith((query) => truncating(query, then))
    const { a, counts } = lookUpsWith([server.resolver])
    expect(await a()).toMatchObject({ code })
    expect(counts.truncated).toBe(1)
  })

  test('is asked for over one connection, whatever becomes of the socket that brought it', async () => {
    let tcp: DnsQuery | null = null
    const server = await serverWith((query) =>
      truncating(query, (asked) => {
        tcp = asked
      }),
    )
    const { a, counts, servers } = lookUpsWith([server.resolver])
    const waits = a()
    await expect.poll(() => tcp).not.toBeNull()
    for (const { sockets } of servers.ordered()) sockets.close()
    if (tcp !== null) answer(tcp)
    expect(await waits).toMatchObject(found)
    expect([server.queries.length, counts.repeated]).toEqual([2, 0])
  })

  test('beyond the bound of connections is refused and counted', async () => {
    const server = await serverWith((query) => truncating(query, () => undefined))
    const { a, counts, close } = lookUpsWith([server.resolver], { ...lookUpBounds, tcpMax: 1 })
    const first = a()
    await expect.poll(() => server.queries).toHaveLength(2)
    expect(await a()).toMatchObject({ code: 'ENOBUFS' })
    expect(counts.refused).toBe(1)
    close()
    expect(await first).toMatchObject({ code: 'ECANCELLED' })
  })
})

/** A server whose replies a test writes, with the ports that asked it. */
const rawServer = async (reply: (message: Buffer, from: RemoteInfo, socket: Socket) => void) => {
  const socket = createSocket('udp4')
  const ports: number[] = []
  const ids: number[] = []
  socket.on('message', (message, from) => {
    ports.push(from.port)
    ids.push(message.readUInt16BE(0))
    reply(message, from, socket)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return { resolver: `127.0.0.1:${socket.address().port}`, ports, ids }
}

/** The right answer to a query, with an address of the forger. */
const forged = (message: Buffer, last: number): Buffer => {
  const bytes = Buffer.concat([
    message,
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, last]),
  ])
  bytes.writeUInt16BE(0x8180, 2)
  bytes.writeUInt16BE(1, 6)
  return bytes
}

describe('a forger (RFC 5452)', () => {
  test('without the id, the question, or the address and port of the server is ignored and counted', async () => {
    const other = createSocket('udp4').bind(0, '127.0.0.1')
    const elsewhere = createSocket('udp4').bind(0, '127.0.0.2')
    await Promise.all([once(other, 'listening'), once(elsewhere, 'listening')])
    onTestFinished(() => void [other.close(), elsewhere.close()])
    const server = await rawServer((message, from, socket) => {
      const send = (bytes: Buffer, by = socket): void => by.send(bytes, from.port, from.address)
      for (const by of [other, elsewhere]) send(forged(message, 66), by)
      for (let wrong = 1; wrong <= 20; wrong += 1) {
        const bytes = forged(message, 66)
        bytes.writeUInt16BE(message.readUInt16BE(0) ^ wrong, 0)
        send(bytes)
      }
      const question = forged(message, 66)
      question.write('x', 13)
      send(question)
      const type = forged(message, 66)
      type.writeUInt16BE(28, message.length - 4)
      send(type)
      send(Buffer.concat([forged(message, 66), Buffer.alloc(5_000)]))
      // both of the others have sent theirs before
      setImmediate(send, forged(message, 1))
    })
    const { a, counts, servers } = lookUpsWith([server.resolver])
    expect(await a()).toMatchObject(found)
    // the system keeps back what others send
    expect([servers.counts.stray, counts.ignored]).toEqual([21, 2])
  })

  test('cannot foresee ids and ports: both are new and spread over their range', async () => {
    const server = await rawServer((message, from, socket) =>
      socket.send(forged(message, 1), from.port, from.address),
    )
    const { a } = lookUpsWith([server.resolver])
    const questions = 2_000
    for (let times = 0; times < questions; times += 1) await a()
    const { ids, ports } = server
    // of 65,536 ids 2,000 draws have about 30 twice
    expect(new Set(ids).size).toBeGreaterThan(questions - 100)
    expect(ids.filter((id, at) => id === (ids[at - 1] ?? 0) + 1).length).toBeLessThan(5)
    const perPort = [...Map.groupBy(ports, (port) => port).values()].map(({ length }) => length)
    expect(Math.max(...perPort)).toBeLessThanOrEqual(2 * 64)
    expect(new Set(ports).size).toBeGreaterThan(questions / 64 - 2)
    expect(Math.max(...ports) - Math.min(...ports)).toBeGreaterThan(5_000)
    // the next question rarely has the port of the one before
    expect(ports.filter((port, at) => port === ports[at - 1]).length).toBeLessThan(questions / 2)
  })
})

describe('hostile messages', () => {
  test('of random octets neither throw nor end a look-up, which the real answer does', async () => {
    let seed = 7
    const octet = (): number => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) >> 16
    const server = await rawServer((message, from, socket) => {
      for (let times = 0; times < 20; times += 1) {
        const bytes = forged(message, 1)
        const from2 = octet() % 3 === 0 ? 2 : message.length
        for (let at = from2; at < bytes.length; at += 1) bytes[at] = octet() & 0xff
        // a code of an error is an answer, whatever follows
        bytes.writeUInt16BE(0x8180, 2)
        if (octet() % 2 === 0) bytes.writeUInt16BE(0xc000 | message.length, message.length)
        bytes.writeUInt16BE(message.length + 4, bytes.length - 4)
        bytes.writeUInt16BE(octet() & 0xff, 4)
        socket.send(bytes.subarray(0, 12 + (octet() % (bytes.length - 12))), from.port, from.address)
      }
      setImmediate(() => socket.send(forged(message, 1), from.port, from.address))
    })
    const { a, waiting } = lookUpsWith([server.resolver])
    for (let times = 0; times < 100; times += 1)
      expect(['OK', 'ENODATA', 'EBADRESP']).toContain((await a()).code)
    expect(waiting).toBe(0)
  })

  test('whose name points at itself are no answer: in the end the resolver answered badly', async () => {
    const server = await rawServer((message, from, socket) => {
      const bytes = forged(message, 1)
      bytes.writeUInt16BE(0xc000 | message.length, message.length)
      socket.send(bytes, from.port, from.address)
    })
    const { a, counts, servers } = lookUpsWith([server.resolver])
    for (const each of servers.ordered())
      for (let times = 0; times < 3; times += 1) each.latency.add(1, now())
    expect(await a()).toMatchObject({ code: 'EBADRESP' })
    expect(counts.ignored).toBe(2)
  })
})

describe('bounds', () => {
  test('questions beyond the bound are refused and counted; a closed resolver answers none', async () => {
    const server = await serverWith(() => undefined)
    const { a, counts, close, servers } = lookUpsWith([server.resolver], { ...lookUpBounds, waitingMax: 3 })
    const waits = [a(), a(), a()]
    expect(await a()).toMatchObject({ code: 'ENOBUFS' })
    expect(counts.refused).toBe(1)
    close()
    expect(await Promise.all(waits)).toEqual(
      waits.map(() => ({ code: 'ECANCELLED', values: [], absentSeconds: 0 })),
    )
    expect(await a()).toMatchObject({ code: 'ECANCELLED' })
    expect(servers.ordered()[0]?.sockets.open).toBe(0)
  })

  test('sockets are closed when spent or old, unless a question still waits on them', async () => {
    const server = await serverWith(answer)
    const { a, servers } = lookUpsWith([server.resolver])
    for (let times = 0; times < 500; times += 1) await a()
    expect(servers.ordered()[0]?.sockets.open).toBeLessThanOrEqual(4)
  })
})
