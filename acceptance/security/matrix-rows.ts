import { deniedIpv4, deniedIpv6 } from '@probe-mesh/contracts/target/address'
import {
  inIpv4Range,
  inIpv6Range,
  ipv4Embeddings,
  ipv4Spellings,
  ipv4Text,
  ipv6Spellings,
  ipv6Text,
} from '@probe-mesh/contracts/testing/address-spellings'
import fc from 'fast-check'

/**
 * Addresses that no check and no message may reach: a row for each kind, with an address of each of its
 * ranges in every spelling (S-3601).
 */
export type MatrixRow = {
  what: string
  ranges: readonly string[]
  /** As hosts of URLs. */
  hosts: readonly string[]
  /** As answers of a name server. */
  answers: readonly string[]
}

/** Non-global IPv6, in addition to the denied ranges inside 2000::/3. */
const notGlobal: Readonly<Record<string, readonly string[]>> = {
  'IPv6 loopback, unspecified, IPv4-compatible': ['::/96'],
  'IPv4-mapped IPv6': ['::ffff:0:0/96', '::ffff:0:0:0/96'],
  'NAT64 and local NAT64': ['64:ff9b::/96', '64:ff9b:1::/48'],
  'IPv6 discard and segment routing': ['100::/64', '5f00::/16'],
  'IPv6 unique local, cloud metadata in it': ['fc00::/7', 'fd00:ec2::/64', 'fd20:ce::/64'],
  'IPv6 link-local and site-local': ['fe80::/10', 'fec0::/10'],
  'IPv6 multicast': ['ff00::/8'],
}

const whatIs: Readonly<Record<string, string>> = {
  cloud_metadata: 'cloud metadata services',
  this_network: 'this network (0.0.0.0/8)',
  private: 'private networks',
  carrier_grade_nat: 'carrier-grade NAT',
  loopback: 'loopback',
  link_local: 'link-local',
  protocol_assignments: 'protocol assignments',
  documentation: 'documentation',
  anycast_service: 'anycast services',
  benchmarking: 'benchmarking',
  multicast: 'multicast',
  reserved: 'reserved, broadcast',
  tunnel: 'tunnels: 6to4, Teredo',
}

/** The same addresses in every run, so that results are comparable. */
const seed = 20_261_122

const one = <T>(arbitrary: fc.Arbitrary<T>): T => {
  const [value] = fc.sample(arbitrary, { numRuns: 1, seed })
  if (value === undefined) throw new Error('no sample was drawn')
  return value
}

const isIpv6 = (cidr: string): boolean => cidr.includes(':')

/** 127.0.0.1 is allowed in the measurement, for its own servers. */
const bits4 = (cidr: string): number => {
  const bits = one(inIpv4Range(cidr))
  return bits === 0x7f_00_00_01 ? bits + 1 : bits
}

const hostsOf = (cidr: string): string[] =>
  isIpv6(cidr)
    ? ipv6Spellings.map((spell) => `[${spell(one(inIpv6Range(cidr)))}]`)
    : ipv4Spellings.map((spell) => spell(bits4(cidr)))

const answersOf = (cidr: string): string[] => {
  if (isIpv6(cidr)) return [ipv6Text(one(inIpv6Range(cidr)))]
  const bits = bits4(cidr)
  return [ipv4Text(bits), ...ipv4Embeddings.map((embed) => embed(bits))]
}

const rangesByWhat = (): Map<string, string[]> => {
  const byWhat = new Map<string, string[]>()
  for (const { cidr, rule } of [...deniedIpv4, ...deniedIpv6]) {
    const what = whatIs[rule] ?? rule
    byWhat.set(what, [...(byWhat.get(what) ?? []), cidr])
  }
  for (const [what, cidrs] of Object.entries(notGlobal)) byWhat.set(what, [...cidrs])
  return byWhat
}

export const matrixRows: readonly MatrixRow[] = [...rangesByWhat()].map(([what, ranges]) => ({
  what,
  ranges,
  hosts: ranges.flatMap(hostsOf),
  answers: ranges.flatMap(answersOf),
}))

/** Hosts that are refused by name, before any resolution. */
export const internalNames: readonly string[] = [
  'localhost',
  'LOCALHOST.',
  'a.localhost',
  'intranet',
  'metadata.google.internal',
  'printer.local',
  'db.internal',
  'nas.lan',
  'dc.corp',
  'router.home.arpa',
  'hidden.onion',
  'a.test',
  'a.invalid',
  'a.example',
  'instance-data',
]

/** URLs that are never valid for a target, with any host. */
export const unsafeUrls: readonly string[] = [
  'http://user@93.184.216.34/',
  'http://user:word@93.184.216.34/',
  'http://127.0.0.2\\@93.184.216.34/',
  'http://93.184.216.34:25/',
  'http://93.184.216.34:6379/',
  'http://93.184.216.34:0/',
  'ftp://93.184.216.34/',
  'file:///etc/passwd',
  'gopher://93.184.216.34/',
  'javascript:alert(1)',
  'http:127.0.0.2',
  'http:///127.0.0.2',
  ' http://127.0.0.2/',
  'ht\ntp://127.0.0.2/',
  'http://127.0.0.2%0d%0a/',
  'http://[fe80::1%25eth0]/',
  `http://${'a'.repeat(64)}.example.com/`,
  `http://example.com/${'a'.repeat(2_048)}`,
]
