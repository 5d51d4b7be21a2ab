import {
  inIpv4Range,
  inIpv6Range,
  ipv4Embeddings,
  ipv4Spellings,
  ipv4Text,
  ipv6Spellings,
  ipv6Text,
} from '@probe-mesh/contracts/src/testing/address-spellings'
import fc from 'fast-check'
import { endsOf, specialAddresses } from './special-addresses.ts'

/**
 * Addresses that no check and no message may reach: a row for each kind, with an address of each of its
 * ranges in every spelling, and both ends of the range (S-3601). The ranges are those of the registries, not those
 * that the product knows.
 */
export type MatrixRow = {
  what: string
  ranges: readonly string[]
  /** As hosts of URLs. */
  hosts: readonly string[]
  /** As answers of a name server. */
  answers: readonly string[]
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
    ? [...ipv6Spellings.map((spell) => spell(one(inIpv6Range(cidr)))), ...endsOf(cidr)].map((ip) => `[${ip}]`)
    : [...ipv4Spellings.map((spell) => spell(bits4(cidr))), ...endsOf(cidr)]

const answersOf = (cidr: string): string[] => {
  if (isIpv6(cidr)) return [ipv6Text(one(inIpv6Range(cidr))), ...endsOf(cidr)]
  const bits = bits4(cidr)
  return [ipv4Text(bits), ...ipv4Embeddings.map((embed) => embed(bits)), ...endsOf(cidr)]
}

const rangesByKind = Map.groupBy(
  specialAddresses.filter(({ allowedBecause }) => allowedBecause === null),
  ({ kind }) => kind,
)

export const matrixRows: readonly MatrixRow[] = [...rangesByKind].map(([what, rows]) => {
  const ranges = rows.map(({ prefix }) => prefix)
  return {
    what,
    ranges,
    hosts: [...new Set(ranges.flatMap(hostsOf))],
    answers: [...new Set(ranges.flatMap(answersOf))],
  }
})

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
