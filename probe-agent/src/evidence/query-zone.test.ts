import { promises as dns } from 'node:dns'
import type { Answer } from 'dns-packet'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  answering,
  startDnsServer,
  type DnsQuery,
} from '@probe-mesh/check-types/dns/probe/testing/dns-server'
import { queryZone } from './query-zone.ts'

const ns = (name: string, ...servers: string[]): Answer[] =>
  servers.map((data) => ({ name, type: 'NS', data, ttl: 60 }))
const cname = (name: string, data: string): Answer => ({ name, type: 'CNAME', data, ttl: 60 })

/** Queries a name against a loopback server. */
const asking = async (
  reply: (asked: DnsQuery) => void,
  { signal = new AbortController().signal, timeout = 10_000 } = {},
) => {
  const server = await startDnsServer(reply)
  const resolver = new dns.Resolver({ timeout, tries: 1 })
  resolver.setServers([server.resolver])
  onTestFinished(async () => {
    resolver.cancel()
    await server.close()
  })
  return { asked: server.queries, ask: (name: string) => queryZone(name, resolver, signal) }
}

/** A server with these records by type and name, and no data for other types of its names. */
const knowing = (records: Record<string, Answer[]>) => (asked: DnsQuery) => {
  const { type, name } = asked.question
  asked.send(answering(asked, records[`${type} ${name}`] ?? []))
}

describe('the zone that starts at a name', () => {
  test('has its name servers in lower case, without trailing dot, sorted and unique', async () => {
    const { ask } = await asking(
      knowing({
        'NS example.com': ns('example.com', 'NS2.Example.net', 'ns1.example.net.', 'ns2.example.net'),
      }),
    )
    expect(await ask('example.com')).toEqual({
      ok: true,
      servers: ['ns1.example.net', 'ns2.example.net'],
    })
  })

  test('has at most the number that a reading may contain', async () => {
    const servers = Array.from({ length: 9 }, (_, index) => `ns${index}.example.net`)
    const { ask } = await asking(knowing({ 'NS example.com': ns('example.com', ...servers) }))
    expect(await ask('example.com')).toEqual({ ok: true, servers: servers.slice(0, 8) })
  })

  test('ignores name servers that are not host names', async () => {
    const { ask } = await asking(
      knowing({ 'NS example.com': ns('example.com', 'ns one.example.net', 'ns2.example.net') }),
    )
    expect(await ask('example.com')).toEqual({ ok: true, servers: ['ns2.example.net'] })
  })

  test('is none when the name has no name servers', async () => {
    const { ask } = await asking(knowing({}))
    expect(await ask('www.example.com')).toEqual({ ok: true, servers: null })
  })

  test('is none when the name does not exist', async () => {
    const { ask } = await asking((asked) => asked.send(answering(asked, [], 3)))
    expect(await ask('gone.example.com')).toEqual({ ok: true, servers: null })
  })

  test('is none at an alias, whose answer contains the servers of another zone', async () => {
    const alias = cname('www.example.com', 'd111.cdn.example.net')
    const { ask } = await asking(
      knowing({
        'NS www.example.com': [alias, ...ns('d111.cdn.example.net', 'ns1.cloud.example')],
        'CNAME www.example.com': [alias],
      }),
    )
    expect(await ask('www.example.com')).toEqual({ ok: true, servers: null })
  })
})

describe('the zone is not known', () => {
  test.each([
    ['fails', 2],
    ['refuses', 5],
  ])('when the resolver %s', async (_, rcode) => {
    const { ask } = await asking((asked) => asked.send(answering(asked, [], rcode)))
    expect(await ask('example.com')).toEqual({ ok: false })
  })

  test('when the resolver is silent', async () => {
    const { ask } = await asking(() => undefined, { timeout: 300 })
    expect(await ask('example.com')).toEqual({ ok: false })
  })

  test('when the alias lookup fails', async () => {
    const { ask } = await asking((asked) => {
      const { type, name } = asked.question
      if (type === 'NS') asked.send(answering(asked, ns(name, 'ns1.example.net')))
      else asked.send(answering(asked, [], 2))
    })
    expect(await ask('example.com')).toEqual({ ok: false })
  })

  test('once the signal aborts', async () => {
    const aborting = new AbortController()
    const { ask, asked } = await asking(() => undefined, { signal: aborting.signal })
    const looking = ask('example.com')
    await vi.waitFor(() => expect(asked).toEqual(['udp NS example.com']))
    aborting.abort()
    expect(await looking).toEqual({ ok: false })
  })

  test('after the signal aborted, without a query', async () => {
    const resolveNs = vi.fn(async () => ['ns1.example.net'])
    const resolver = { resolveNs, resolveCname: async () => [], cancel: () => undefined }
    expect(await queryZone('example.com', resolver, AbortSignal.abort())).toEqual({ ok: false })
    expect(resolveNs).not.toHaveBeenCalled()
  })

  test('when the resolver throws', async () => {
    const thrown = () => {
      throw new TypeError('an invalid name')
    }
    const resolver = { resolveNs: thrown, resolveCname: thrown, cancel: () => undefined }
    const { signal } = new AbortController()
    expect(await queryZone('example.com', resolver, signal)).toEqual({ ok: false })
  })
})
