import type { Answer } from 'dns-packet'
import { answering, serving, type DnsQuery } from '@probe-mesh/check-types/dns/probe/testing/dns-server'

/** The names of a small internet, the answers of its name server, and the expected results. */

/** The addresses of the targets, which are public for the production guard. */
export const outside = {
  ipv4: '93.184.215.14',
  ipv6: '2606:2800:220:1::14',
  /** An unused address on the same network. */
  unusedIpv6: '2606:2800:220:1::99',
  /** No route leads there. */
  noRouteIpv4: '93.184.214.14',
  noRouteIpv6: '2606:2800:221:1::14',
  /** The agent's addresses on that network. */
  own: { ipv4: '93.184.215.1', ipv6: '2606:2800:220:1::1' },
} as const
export const targetPort = 8_080

/** Addresses of the agent's own machine with servers that no probe may reach. */
export const inside = ['127.0.0.1', '10.0.0.5', '169.254.169.254', '::1'] as const

export const canaryHost = 'canary.probe-canaries.net'

/** The possible results of a name: verdict and cause. */
type Expected = readonly string[]

const unsafe = 'unmeasured unsafe_target'
const refusedRedirect = 'down redirect_not_public'
const zone = 'example-shop.net'
const internalName = `internal.${zone}`

type NameCase = {
  host: string
  /** The path of the first request; absent: `/`. */
  path?: string
  expected: Expected
  /** The records of a type; a number: a response code instead; null: no answer. */
  answer: (type: string, turn: number) => readonly string[] | number | null | { alias: string }
}

const both = (type: string): readonly string[] =>
  type === 'A' ? [outside.ipv4] : type === 'AAAA' ? [outside.ipv6] : []
const only =
  (type: 'A' | 'AAAA', addresses: readonly string[]): NameCase['answer'] =>
  (query) =>
    query === type ? addresses : []

const servfail = 2
const nxdomain = 3

export const nameCases: readonly NameCase[] = [
  { host: `plain.${zone}`, expected: ['up ok'], answer: both },
  {
    // with a TTL of 0, public and internal at alternate queries
    host: `rebound.${zone}`,
    expected: ['up ok', unsafe],
    answer: (type, turn) => {
      if (turn % 2 === 0) return both(type)
      const address = inside[Math.floor(turn / 2) % inside.length] ?? '127.0.0.1'
      return address.includes(':') === (type === 'AAAA') ? [address] : []
    },
  },
  {
    host: `mixed.${zone}`,
    expected: [unsafe],
    answer: only('A', [outside.ipv4, '10.0.0.5']),
  },
  { host: `metadata.${zone}`, expected: [unsafe], answer: only('A', ['169.254.169.254']) },
  { host: `own.${zone}`, expected: [unsafe], answer: only('A', [outside.own.ipv4]) },
  { host: `alias.${zone}`, expected: [unsafe], answer: () => ({ alias: internalName }) },
  { host: internalName, expected: [unsafe], answer: only('A', ['10.0.0.5']) },
  {
    host: `mapped.${zone}`,
    expected: [unsafe],
    answer: only('AAAA', ['::ffff:127.0.0.1']),
  },
  {
    host: `many.${zone}`,
    expected: [unsafe],
    answer: only(
      'A',
      Array.from({ length: 512 }, (_, n) => `93.184.${216 + (n >> 8)}.${n & 255}`),
    ),
  },
  { host: `gone.${zone}`, expected: ['down dns_not_found'], answer: () => nxdomain },
  {
    host: `failing.${zone}`,
    expected: ['down dns_server_failure'],
    answer: () => servfail,
  },
  { host: `silent.${zone}`, expected: ['down dns_timeout'], answer: () => null },
  {
    host: `no-route.${zone}`,
    expected: ['down host_unreachable'],
    answer: only('A', [outside.noRouteIpv4]),
  },
  {
    host: `no-route-six.${zone}`,
    expected: ['down host_unreachable'],
    answer: only('AAAA', [outside.noRouteIpv6]),
  },
  { host: `six.${zone}`, expected: ['up ok'], answer: only('AAAA', [outside.ipv6]) },
  {
    // No server has its IPv6 address: an IPv6-only probe would report an outage.
    host: `broken-six.${zone}`,
    expected: ['up ok'],
    answer: (type) => (type === 'A' ? [outside.ipv4] : [outside.unusedIpv6]),
  },
  {
    host: `leading.${zone}`,
    path: `/to?http://mixed.${zone}:${targetPort}/`,
    expected: [refusedRedirect],
    answer: both,
  },
  {
    host: `pointing.${zone}`,
    path: `/to?http://169.254.169.254:${targetPort}/latest/meta-data/`,
    expected: [refusedRedirect],
    answer: both,
  },
]

/** A name server for all names. @returns the handler for `startDnsServer` */
export const createNames = (): ((query: DnsQuery) => void) => {
  /** The number of IPv4 queries of a name. Both queries of one lookup see the same turn. */
  const turns = new Map<string, number>()
  const cases = new Map(nameCases.map((each) => [each.host, each]))

  const recordsOf = (name: string, type: string, turn: number): Answer[] | number | null => {
    if (name === canaryHost) return recordsFor(name, type, both(type))
    const known = cases.get(name)
    if (known === undefined) return nxdomain
    const records = known.answer(type, turn)
    if (records === null || typeof records === 'number') return records
    if (!('alias' in records)) return recordsFor(name, type, records)
    const rest = recordsOf(records.alias, type, turn)
    const alias: Answer = { name, type: 'CNAME', data: records.alias, ttl: 0 }
    return Array.isArray(rest) ? [alias, ...rest] : rest
  }
  return (query) => {
    const { type } = query.question
    const name = query.question.name.toLowerCase()
    const turn = turns.get(name) ?? 0
    if (type === 'AAAA') turns.set(name, turn + 1)
    const records = recordsOf(name, type, turn)
    if (records === null) return
    if (typeof records === 'number') query.send(answering(query, [], records))
    else serving(records)(query)
  }
}

const recordsFor = (name: string, type: string, addresses: readonly string[]): Answer[] =>
  addresses.map((data) => ({ name, type: type === 'AAAA' ? 'AAAA' : 'A', data, ttl: 0 }))
