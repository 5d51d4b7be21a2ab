import type { Answer } from 'dns-packet'
import type { DnsRecordType } from '../record-type.ts'
import type { DnsSettings } from '../settings.ts'
import { describe, expect, test } from 'vitest'
import { allowNothing } from '@probe-mesh/contracts/target/address'
import { answering, serving } from './testing/dns-server.ts'
import { probe, server } from './testing/probe.ts'

const name = 'www.example.org'
const ttl = 300
const soa = {
  mname: 'NS1.example.org',
  rname: 'hostmaster.example.org',
  serial: 7,
  refresh: 7_200,
  retry: 3_600,
  expire: 1_209_600,
  minimum: 300,
}

type Expectation = NonNullable<DnsSettings['expect']>
type Row = [type: DnsRecordType, answers: Answer[], values: string[], expected: string, other: string]

/** A received value, its canonical form, a spelling that matches, and a similar one that does not. */
const rows: Row[] = [
  [
    'A',
    [
      { name, type: 'A', ttl, data: '192.0.2.7' },
      { name, type: 'A', ttl, data: '192.0.2.1' },
    ],
    ['192.0.2.1', '192.0.2.7'],
    '192.0.2.7',
    '192.0.2.8',
  ],
  [
    'AAAA',
    [{ name, type: 'AAAA', ttl, data: '2001:db8:0:0:0:0:0:1' }],
    ['2001:db8::1'],
    '2001:0DB8::1',
    '2001:db8::2',
  ],
  [
    'CAA',
    [{ name, type: 'CAA', ttl, data: { flags: 0, tag: 'issue', value: 'ca.example.net; a=B' } }],
    ['0 issue ca.example.net; a=B'],
    '0 ISSUE ca.example.net; a=B',
    '0 issue ca.example.net; a=b',
  ],
  [
    'CNAME',
    [{ name, type: 'CNAME', ttl, data: 'Web.example.org' }],
    ['web.example.org'],
    'WEB.example.org.',
    'web.example.com',
  ],
  [
    'MX',
    [{ name, type: 'MX', ttl, data: { preference: 10, exchange: 'Mail.example.org' } }],
    ['10 mail.example.org'],
    '10 mail.EXAMPLE.org.',
    '20 mail.example.org',
  ],
  [
    'NS',
    [{ name, type: 'NS', ttl, data: 'ns1.example.org' }],
    ['ns1.example.org'],
    'NS1.example.org',
    'ns2.example.org',
  ],
  [
    'PTR',
    [{ name, type: 'PTR', ttl, data: 'host.example.org' }],
    ['host.example.org'],
    'host.example.org.',
    'hosts.example.org',
  ],
  [
    'SOA',
    [{ name, type: 'SOA', ttl, data: soa }],
    ['ns1.example.org hostmaster.example.org 7 7200 3600 1209600 300'],
    'ns1.example.org. hostmaster.example.org. 7 7200 3600 1209600 300',
    'ns1.example.org. hostmaster.example.org. 8 7200 3600 1209600 300',
  ],
  [
    'SRV',
    [
      {
        name,
        type: 'SRV',
        ttl,
        data: { priority: 10, weight: 60, port: 5060, target: 'sip.example.org' },
      },
    ],
    ['10 60 5060 sip.example.org'],
    '10 60 5060 Sip.example.org.',
    '10 60 5061 sip.example.org',
  ],
  [
    'TXT',
    [{ name, type: 'TXT', ttl, data: ['v=spf1 ', 'Include:ö -all'] }],
    ['v=spf1 Include:ö -all'],
    'v=spf1 Include:ö -all',
    'v=spf1 include:ö -all',
  ],
]

describe.each(rows)('%s records', (recordType, answers, values, expected, other) => {
  test('are recorded, and up without an expectation, with another spelling, and as a set', async () => {
    const { resolver } = await server(serving(answers))
    const bare = await probe({ resolver, recordType })
    expect(bare.said).toBe('up none ok: null')
    expect(bare.details).toEqual({ type: 'dns', rcode: 'NOERROR', ttlSeconds: ttl, values })
    expect(bare.trace).toMatchObject({ answered: true, address: '127.0.0.1', httpStatus: null })
    expect(bare.trace.timings.dnsMs).toBeGreaterThanOrEqual(0)
    expect(bare.trace.latencyMs).toBeGreaterThanOrEqual(bare.trace.timings.dnsMs ?? Infinity)
    const includes = await probe({
      resolver,
      recordType,
      expect: { op: 'includes', values: [expected] },
    })
    expect(includes.said).toBe('up none ok: null')
    const equals: Expectation = { op: 'equals', values: [expected, ...values] }
    expect((await probe({ resolver, recordType, expect: equals })).said).toBe('up none ok: null')
  })

  test('are down when another one is expected, or one more, or one less', async () => {
    const { resolver } = await server(serving(answers))
    const wrong: Expectation[] = [
      { op: 'includes', values: [other] },
      { op: 'includes', values: [expected, other] },
      { op: 'equals', values: [other] },
      { op: 'equals', values: [...values, other] },
    ]
    for (const wanted of wrong) {
      const { said, details } = await probe({ resolver, recordType, expect: wanted })
      const relation = wanted.op === 'includes' ? 'to include' : 'to be exactly'
      expect(said).toContain(`down target dns_mismatch: expected ${recordType} records ${relation} `)
      expect(details.values).toEqual(values)
    }
  })

  test('that do not exist are down, with or without an expectation', async () => {
    const { resolver } = await server(serving([]))
    const said = `down target dns_no_records: the name has no ${recordType} records`
    expect((await probe({ resolver, recordType })).said).toBe(said)
    const wanted: Expectation = { op: 'includes', values: [expected] }
    expect((await probe({ resolver, recordType, expect: wanted })).said).toBe(said)
  })
})

describe('a reason', () => {
  const { '0': a } = rows
  test('contains the missing and the received values', async () => {
    const { resolver } = await server(serving(a?.[1] ?? []))
    const saidFor = async (op: 'includes' | 'equals', ...values: string[]) =>
      (await probe({ resolver, expect: { op, values } })).judgement.reason
    expect(await saidFor('includes', '192.0.2.7', '192.0.2.9')).toBe(
      'expected A records to include 192.0.2.9, got 192.0.2.1, 192.0.2.7',
    )
    expect(await saidFor('equals', '192.0.2.7')).toBe(
      'expected A records to be exactly 192.0.2.7, got 192.0.2.1, 192.0.2.7',
    )
    expect(await saidFor('includes', '10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4')).toBe(
      'expected A records to include 10.0.0.1, 10.0.0.2, 10.0.0.3 and 1 more, got 192.0.2.1, 192.0.2.7',
    )
  })

  test('and its details show text of any length and content on one line', async () => {
    const data = [Buffer.from('\u0000\n\u202e'), Buffer.from('\ud83d\ude00'.repeat(60))]
    const bytes: Answer = { name, type: 'TXT', ttl, data: Buffer.from([0xff, 0x41]) }
    const { resolver } = await server(serving([{ name, type: 'TXT', ttl, data }, bytes]))
    const wanted: Expectation = { op: 'includes', values: ['x'.repeat(1_000)] }
    const { judgement, details } = await probe({ resolver, recordType: 'TXT', expect: wanted })
    expect(judgement.reason).toContain('"\\255A"')
    expect(details.values[0]).toMatch(/^\\000\\010\u202e/)
    expect(details.values[1]).toBe('\\255A')
  })
})

describe('aliases', () => {
  const alias = (from: string, to: string, ttl: number): Answer => ({
    name: from,
    type: 'CNAME',
    ttl,
    data: to,
  })
  const chain = (length: number): Answer[] => [
    ...Array.from({ length }, (_, index) =>
      alias(index === 0 ? 'WWW.example.ORG' : `a${index}.net`, `A${index + 1}.net`, 100 + index),
    ),
    { name: `a${length}.net`, type: 'A', ttl: 200, data: '192.0.2.1' },
  ]

  test.each([1, 8])('%d of them lead to the records, in any order', async (length) => {
    const { resolver } = await server(serving(chain(length).toReversed()))
    const { said, details } = await probe({ resolver })
    expect(said).toBe('up none ok: null')
    expect(details).toMatchObject({ values: ['192.0.2.1'], ttlSeconds: 100 })
  })

  test.each([
    ['nine', chain(9)],
    ['a loop', [alias(name, 'b.net', 1), alias('b.net', name, 1)]],
  ])('%s are too many', async (_, answers) => {
    const { resolver } = await server(serving(answers))
    expect((await probe({ resolver })).said).toBe(
      'down target dns_alias_chain: the name leads through more than 8 aliases',
    )
  })

  test('without a target, and records of other names, are ignored', async () => {
    const stray: Answer = { name: 'other.net', type: 'A', ttl, data: '192.0.2.1' }
    const { resolver } = await server(serving([alias(name, 'b.net', 1), stray]))
    expect((await probe({ resolver })).judgement.cause).toBe('dns_no_records')
  })
})

describe('a question', () => {
  test('is sent in A-labels, with recursion, and matched in any case', async () => {
    const { resolver, queries: asked } = await server((query) => {
      const question = { ...query.question, name: query.question.name.toUpperCase() }
      query.send(answering({ id: query.id, question }, []))
    })
    const { judgement } = await probe({ resolver, name: 'Bücher.example.org.' })
    expect(judgement.cause).toBe('dns_no_records')
    expect(asked).toEqual(['udp A xn--bcher-kva.example.org'])
  })

  test('reports its connection', async () => {
    const { resolver } = await server(serving([]))
    let connected = 0
    await probe({ resolver }, { onConnected: () => (connected += 1) })
    expect(connected).toBeGreaterThan(0)
  })
})

describe('an unsafe question', () => {
  const unsafe = 'unmeasured probe unsafe_target: the target address is not allowed'
  /** the refusal comes first; otherwise the abort would prevent sending anyway */
  const unsent = { signal: AbortSignal.abort(new Error('not to be sent')) }

  test.each([
    ['a resolver in a private network', '10.0.0.1', unsafe],
    ['a resolver by name', 'dns.example.org', unsafe],
    ['another port of a public resolver', '8.8.8.8:5353', unsafe],
    ['an address of our own', '8.8.4.4', unsafe],
    ['port 53 of a public resolver', '8.8.8.8:53', 'probe_stopped'],
  ])('is one to %s', async (_, resolver, said) => {
    const capabilities = { ownAddresses: () => new Set(['8.8.4.4']), allow: allowNothing }
    expect((await probe({ resolver }, { capabilities, ...unsent })).said).toContain(said)
  })

  test.each(['db.internal', 'postgres', '1.0.0.10.in-addr.arpa', 'a..b'])(
    'is one to our own resolvers for %s, and never sent',
    async (name) => {
      const { queries: asked, resolver } = await server(serving([]))
      expect((await probe({ name }, { own: [resolver] })).said).toBe(unsafe)
      expect(asked).toEqual([])
    },
  )

  test.each([
    ['asked too often', { spend: () => false }, 'unmeasured probe target_budget'],
    [
      'that does not want to be',
      { deny: { entries: [], coversHost: () => false, coversAddress: () => true } },
      'unmeasured probe target_denied',
    ],
  ])('is one to a resolver %s', async (_, capabilities, said) => {
    const around = { capabilities: { ...capabilities, allow: allowNothing }, ...unsent }
    expect((await probe({ resolver: '8.8.4.4' }, around)).said).toContain(said)
  })

  test('is allowed to one that the operator allowed', async () => {
    const { resolver } = await server(serving(rows[0]?.[1] ?? []))
    const capabilities = { ownAddresses: () => new Set(['127.0.0.1']) }
    expect((await probe({ resolver }, { capabilities })).said).toBe('up none ok: null')
  })
})
