import { promises as dns } from 'node:dns'
import type { Answer } from 'dns-packet'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  answering,
  startDnsServer,
  type DnsQuery,
} from '@probe-mesh/check-types/dns/probe/testing/dns-server'
import { createNameServers, nameServerBounds } from './name-servers.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Name servers learnt from a loopback server, with a clock that the test sets. */
const learning = async (reply: (asked: DnsQuery) => void, bounds = {}) => {
  const server = await startDnsServer((asked) => answer(asked))
  let answer = reply
  let nowMs = 0
  const resolver = new dns.Resolver({ timeout: 10_000, tries: 1 })
  resolver.setServers([server.resolver])
  const nameServers = createNameServers({ resolver, now: () => nowMs }, { ...nameServerBounds, ...bounds })
  onTestFinished(async () => {
    nameServers.close()
    await server.close()
  })
  return {
    asked: server.queries,
    of: nameServers.of,
    counts: () => nameServers.counts,
    close: nameServers.close,
    become: (next: (asked: DnsQuery) => void) => {
      answer = next
    },
    pass: (ms: number) => {
      nowMs += ms
    },
    /** The known name servers once a host's lookup is complete. */
    learnt: async (host: string, servers: readonly string[]) => {
      await vi.waitFor(() => expect(nameServers.of(host)).toEqual(servers))
    },
  }
}

const zones =
  (zones: Record<string, string[]>) =>
  (asked: DnsQuery): void => {
    const { type, name } = asked.question
    const servers = type === 'NS' ? (zones[name] ?? []) : []
    const answers = servers.map((data): Answer => ({ name, type: 'NS', data, ttl: 60 }))
    asked.send(answering(asked, answers))
  }
const failing = (asked: DnsQuery): void => asked.send(answering(asked, [], 2))

const example = zones({ 'example.com': ['ns1.example.net'] })
const elsewhere = zones({ 'example.com': ['ns9.example.net'] })

describe('the name servers of a host', () => {
  test('do not block: they are unknown at first, and known once the zone was found', async () => {
    const { of, learnt, asked } = await learning(example)
    expect(of('api.eu.example.com')).toEqual([])
    await learnt('api.eu.example.com', ['ns1.example.net'])
    expect(asked).toEqual([
      'udp NS api.eu.example.com',
      'udp NS eu.example.com',
      'udp NS example.com',
      'udp CNAME example.com',
    ])
  })

  test('are those of the nearest zone', async () => {
    const { learnt } = await learning(
      zones({ 'example.com': ['ns1.example.net'], 'eu.example.com': ['ns2.example.net'] }),
    )
    await learnt('api.eu.example.com', ['ns2.example.net'])
    await learnt('www.example.com', ['ns1.example.net'])
  })

  test('are looked up per zone and not per host', async () => {
    const { learnt, asked } = await learning(example)
    await learnt('www.example.com', ['ns1.example.net'])
    await learnt('api.example.com', ['ns1.example.net'])
    expect(asked.filter((line) => line === 'udp NS example.com')).toHaveLength(1)
  })

  test('are none without a zone below the top-level name, which is never queried', async () => {
    const { of, asked, counts } = await learning(zones({ com: ['a.gtld-servers.net'] }))
    of('www.example.com')
    await vi.waitFor(() => expect(asked).toEqual(['udp NS www.example.com', 'udp NS example.com']))
    expect(of('www.example.com')).toEqual([])
    expect(counts()).toMatchObject({ begun: 1, failed: 0 })
  })

  test.each(['93.184.216.34', '[2001:db8::1]', 'localhost', 'intranet'])(
    'are none for %s, without a query',
    async (host) => {
      const { of, counts } = await learning(example)
      expect(of(host)).toEqual([])
      expect(counts().begun).toBe(0)
    },
  )
})

describe('known name servers', () => {
  test('are queried again after a day, and used until the answer has come', async () => {
    const { of, learnt, pass, become, asked } = await learning(example)
    await learnt('example.com', ['ns1.example.net'])
    become(elsewhere)
    pass(dayMs - 1)
    expect(of('example.com')).toEqual(['ns1.example.net'])
    expect(asked).toHaveLength(2)
    pass(1)
    expect(of('example.com')).toEqual(['ns1.example.net'])
    await learnt('example.com', ['ns9.example.net'])
    expect(asked).toHaveLength(4)
  })

  test('are kept when a later lookup fails, which is retried an hour later', async () => {
    const { of, learnt, pass, become, counts, asked } = await learning(example)
    await learnt('example.com', ['ns1.example.net'])
    become(failing)
    pass(dayMs)
    of('example.com')
    await vi.waitFor(() => expect(counts().failed).toBe(1))
    expect(of('example.com')).toEqual(['ns1.example.net'])
    become(elsewhere)
    pass(hourMs - 1)
    of('example.com')
    expect(counts().begun).toBe(2)
    pass(1)
    await learnt('example.com', ['ns9.example.net'])
    expect(asked).toHaveLength(5)
  })

  test('are none after a failure, also for the parent zone, for an hour', async () => {
    const { of, learnt, pass, become, counts } = await learning((asked) =>
      asked.question.name === 'eu.example.com' ? failing(asked) : example(asked),
    )
    of('eu.example.com')
    await vi.waitFor(() => expect(counts().failed).toBe(1))
    await learnt('example.com', ['ns1.example.net'])
    become(example)
    pass(hourMs - 1)
    expect(of('eu.example.com')).toEqual([])
    expect(counts().begun).toBe(2)
    pass(1)
    await learnt('eu.example.com', ['ns1.example.net'])
  })

  test('are evicted oldest first beyond the limit, and counted', async () => {
    const { of, learnt, counts } = await learning(
      zones({ 'a.example': ['ns.a.net'], 'b.example': ['ns.b.net'], 'c.example': ['ns.c.net'] }),
      { namesMax: 2 },
    )
    await learnt('a.example', ['ns.a.net'])
    await learnt('b.example', ['ns.b.net'])
    expect(counts().forgotten).toBe(0)
    await learnt('c.example', ['ns.c.net'])
    expect(counts().forgotten).toBe(1)
    expect(of('b.example')).toEqual(['ns.b.net'])
    expect(of('a.example')).toEqual([])
  })
})

test('a lookup that takes too long fails, and makes room for the next', async () => {
  const resolver = {
    resolveNs: (name: string) =>
      name === 'silent.example.com'
        ? new Promise<string[]>(() => undefined)
        : Promise.resolve(['ns1.example.net']),
    resolveCname: async () => [],
    cancel: () => undefined,
  }
  const bounds = { ...nameServerBounds, lookupsMax: 1, lookupMsMax: 50 }
  const nameServers = createNameServers({ resolver }, bounds)
  const { of } = nameServers
  onTestFinished(nameServers.close)
  of('silent.example.com')
  await vi.waitFor(() => expect(of('example.com')).toEqual(['ns1.example.net']))
  expect(of('silent.example.com')).toEqual([])
  expect(nameServers.counts).toEqual({ begun: 2, dropped: 0, failed: 1, forgotten: 0 })
})

test('stay known after closing, without queries', async () => {
  const { of, learnt, close, pass, counts, asked } = await learning(example)
  await learnt('example.com', ['ns1.example.net'])
  close()
  pass(dayMs)
  expect(of('example.com')).toEqual(['ns1.example.net'])
  expect(of('example.org')).toEqual([])
  expect(counts().begun).toBe(1)
  expect(asked).toHaveLength(2)
})
