import type { Answer } from 'dns-packet'
import { describe, expect, test } from 'vitest'
import { allowNothing } from '@probe-mesh/contracts/target/address'
import { allowing } from '@probe-mesh/probe-agent/src/request/testing/ask'
import { ownResolversOf } from './own-resolvers.ts'
import { stopTime } from '@probe-mesh/probe-agent/src/testing/stop-time'
import { answering, type DnsQuery } from './testing/dns-server.ts'
import { probe, server } from './testing/probe.ts'

const name = 'www.example.org'
const a = (data: string): Answer => ({ name, type: 'A', ttl: 60, data })
const publicAddress = '93.184.215.14'

const behaviours: Record<string, (asked: DnsQuery) => void> = {
  good: (asked) => asked.send(answering(asked, [a(publicAddress)])),
  empty: (asked) => asked.send(answering(asked, [])),
  nxdomain: (asked) => asked.send(answering(asked, [], 3)),
  servfail: (asked) => asked.send(answering(asked, [], 2)),
  refused: (asked) => asked.send(answering(asked, [], 5)),
  garbage: (asked) => asked.send(Buffer.from('garbage')),
  silent: () => undefined,
}

/** Servers of these behaviours; the limit of a query passes only while a server does not answer it. */
const start = async (names: string[]) => {
  const time = stopTime()
  const servers = await Promise.all(
    names.map((each) =>
      server((asked) => {
        behaviours[each]?.(asked)
        if (each === 'silent' || each === 'garbage') void time.next()
      }),
    ),
  )
  return { servers, own: servers.map(({ resolver }) => resolver) }
}

const up = 'up none ok: null'
const notFound = 'down target dns_not_found: the name does not exist (NXDOMAIN)'
const unreachable = 'unmeasured probe dns_unreachable: the resolver of the probe did not answer'
const serverFailure = 'unmeasured probe dns_server_failure: the resolver of the probe could not answer'
const unconfirmed =
  'unmeasured probe dns_unconfirmed: no second resolver of the probe confirmed that the name does not exist'

describe("the agent's own resolvers", () => {
  test.each<[behaviours: string[], said: string]>([
    [['good'], up],
    [['silent', 'good'], up],
    [['servfail', 'good'], up],
    [['refused', 'good'], up],
    [['garbage', 'good'], up],
    [['silent', 'servfail', 'good'], up],
    [['silent'], unreachable],
    [['garbage'], unreachable],
    [['silent', 'silent'], unreachable],
    [['servfail'], serverFailure],
    [['refused'], serverFailure],
    [['silent', 'refused'], serverFailure],
    [['refused', 'silent'], serverFailure],
    [['empty'], 'down target dns_no_records: the name has no A records'],
    [['nxdomain'], notFound],
    [['nxdomain', 'nxdomain'], notFound],
    [['nxdomain', 'good'], up],
    [['nxdomain', 'empty'], 'down target dns_no_records: the name has no A records'],
    [['nxdomain', 'silent'], unconfirmed],
    [['nxdomain', 'servfail'], unconfirmed],
    [['silent', 'nxdomain'], unconfirmed],
    [['nxdomain', 'silent', 'nxdomain'], notFound],
    [[], unreachable],
  ])('%j: %s', async (names, said) => {
    const { own } = await start(names)
    expect((await probe({}, { own })).said).toBe(said)
  })

  test('are queried in order, and no more than needed', async () => {
    const { own, servers } = await start(['servfail', 'good', 'good'])
    await probe({}, { own })
    expect(servers.map(({ queries: asked }) => asked.length)).toEqual([1, 1, 0])
  })

  test('are at most three, unique, in the format of getServers', () => {
    const servers = ['10.0.0.1', '10.0.0.1:53', '[::1]:5353', 'fe80::1%eth0', '10.0.0.2', 'nonsense']
    expect(ownResolversOf(servers)).toEqual([
      { address: '10.0.0.1', port: 53 },
      { address: '::1', port: 5353 },
      { address: 'fe80::1%eth0', port: 53 },
    ])
  })

  test('are not shown when they are internal', async () => {
    const { own } = await start(['good'])
    const opened = await probe({}, { own })
    expect(opened.trace).toMatchObject({ address: '127.0.0.1', answered: false })
    const closed = await probe({}, { own, capabilities: { allow: allowNothing } })
    expect(closed.said).toBe(up)
    expect(closed.trace).toMatchObject({ address: null, answered: false })
  })

  test('end with the agent', async () => {
    const controller = new AbortController()
    const silent = await server(() => controller.abort(new Error('stopping')))
    const { own, servers } = await start(['good'])
    const { judgement } = await probe({}, { own: [silent.resolver, ...own], signal: controller.signal })
    expect(judgement.cause).toBe('probe_stopped')
    expect(servers[0]?.queries).toEqual([])
  })
})

describe('their knowledge of our own network', () => {
  const answered = async (answers: Answer[], type: 'A' | 'AAAA' | 'MX' | 'CNAME', closed: boolean) => {
    const { resolver } = await server((asked) => asked.send(answering(asked, answers)))
    const capabilities = closed ? { allow: allowNothing } : {}
    return probe({ recordType: type }, { own: [resolver], capabilities })
  }
  test.each<[what: string, 'A' | 'AAAA' | 'MX' | 'CNAME', Answer[]]>([
    ['a private address', 'A', [a('10.1.2.3')]],
    ['one among public ones', 'A', [a(publicAddress), a('169.254.169.254')]],
    ['an IPv6 one', 'AAAA', [{ name, type: 'AAAA', ttl: 1, data: 'fd00::1' }]],
    ['a loopback address', 'A', [a('127.0.0.1')]],
    ['an internal host', 'CNAME', [{ name, type: 'CNAME', ttl: 1, data: 'db7.corp' }]],
    [
      'an internal mail host',
      'MX',
      [{ name, type: 'MX', ttl: 1, data: { preference: 1, exchange: 'mx.internal' } }],
    ],
  ])('%s: is neither shown nor judged', async (_, type, answers) => {
    const { said, details, trace } = await answered(answers, type, true)
    expect(said).toBe('unmeasured probe unsafe_target: the target address is not allowed')
    expect(details).toEqual({ type: 'dns', rcode: null, ttlSeconds: null, values: [] })
    expect(JSON.stringify(trace)).not.toMatch(/10\.1|169\.254|fd00|corp|internal/)
  })

  /** A network with its own zone under a public name, answered by its resolver. */
  const inside = (asked: DnsQuery): void => {
    const { name: of, type } = asked.question
    const records: Record<string, Answer[]> = {
      'corp.example.org NS': [{ name: of, type: 'NS', ttl: 1, data: 'ns1.corp.example.org' }],
      'ns1.corp.example.org A': [{ name: of, type: 'A', ttl: 1, data: '10.0.0.53' }],
      'db1.corp.example.org TXT': [{ name: of, type: 'TXT', ttl: 1, data: 'password=1' }],
      'db1.corp.example.org CAA': [
        { name: of, type: 'CAA', ttl: 1, data: { flags: 0, tag: 'issue', value: 'inside-ca' } },
      ],
      'db1.corp.example.org A': [{ name: of, type: 'A', ttl: 1, data: '10.0.0.7' }],
      'single.example.org TXT': [{ name: of, type: 'TXT', ttl: 1, data: 'inside' }],
      'single.example.org A': [{ name: of, type: 'A', ttl: 1, data: '10.0.0.8' }],
      'example.org NS': [{ name: of, type: 'NS', ttl: 1, data: 'ns.example.net' }],
      'ns.example.net A': [{ name: of, type: 'A', ttl: 1, data: publicAddress }],
      'alias.example.org CNAME': [{ name: of, type: 'CNAME', ttl: 1, data: 'no.corp.example.org' }],
      'public.example.org TXT': [{ name: of, type: 'TXT', ttl: 1, data: 'v=spf1' }],
    }
    const answers = records[`${of} ${type}`] ?? []
    const exists = Object.keys(records).some((key) => key.startsWith(`${of} `))
    asked.send(answering(asked, answers, exists ? 0 : 3))
  }

  test.each([
    ['a TXT record', 'db1.corp.example.org', 'TXT'],
    ['a CAA record', 'db1.corp.example.org', 'CAA'],
    ['no record of the type', 'db1.corp.example.org', 'MX'],
    ['a name that does not exist', 'nobody.corp.example.org', 'A'],
    ['another record of one', 'nobody.corp.example.org', 'TXT'],
    ['an alias of one', 'alias.example.org', 'TXT'],
    ['the zone itself', 'corp.example.org', 'NS'],
    ['a record of a name that leads inside', 'single.example.org', 'TXT'],
  ] as const)('%s: is refused like any other internal name', async (_, asked, recordType) => {
    const { resolver } = await server(inside)
    const around = { own: [resolver], capabilities: { allow: allowNothing } }
    const { said, details } = await probe({ name: asked, recordType }, around)
    expect(said).toBe('unmeasured probe unsafe_target: the target address is not allowed')
    expect(details).toEqual({ type: 'dns', rcode: null, ttlSeconds: null, values: [] })
    // answers in networks that the operator allowed are shown completely
    const opened = { own: [resolver], capabilities: { allow: allowing('10.0.0.0/8') } }
    expect((await probe({ name: asked, recordType }, opened)).said).not.toContain('unsafe_target')
  })

  test.each([
    ['a record', 'public.example.org', 'TXT', up],
    ['a name that does not exist', 'nobody.example.org', 'A', notFound],
  ] as const)('is not needed for %s of a public zone', async (_, asked, recordType, expected) => {
    const { resolver } = await server(inside)
    const around = { own: [resolver], capabilities: { allow: allowNothing } }
    expect((await probe({ name: asked, recordType }, around)).said).toBe(expected)
  })

  test('is shown by an agent of the account that owns the network', async () => {
    const { resolver } = await server(inside)
    const capabilities = { allow: allowNothing, isOwnNetwork: true }
    const asked = { name: 'nobody.corp.example.org', recordType: 'TXT' } as const
    expect((await probe(asked, { own: [resolver], capabilities })).said).toBe(notFound)
  })

  test('is shown if the operator allowed it', async () => {
    const { said, details } = await answered([a('127.0.0.9')], 'A', false)
    expect(said).toBe(up)
    expect(details.values).toEqual(['127.0.0.9'])
  })

  test('does not include answers of a resolver that the check names', async () => {
    const { resolver } = await server((asked) => asked.send(answering(asked, [a('10.1.2.3')])))
    expect((await probe({ resolver })).details.values).toEqual(['10.1.2.3'])
  })
})
