import { readFileSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import {
  allowNothing,
  classifyAddress,
  deniedIpv4,
  deniedIpv6,
  globalIpv6,
} from '@probe-mesh/contracts/target/address'
import { ipv4Text, ipv6Text } from '@probe-mesh/contracts/src/testing/address-spellings'

/** A range with a special purpose, as its registry or vendor documents it. It knows nothing of the product. */
export type SpecialAddress = {
  prefix: string
  /** Its row of the matrix. */
  kind: string
  list: string
  name: string
  source: string
  /** Why a target may have such an address; null: no check and no message may reach it. */
  allowedBecause: string | null
}

/** The smallest number of ranges in each list of the data: registries only grow. */
const floors = {
  'IANA IPv4': 26,
  'IANA IPv6': 25,
  'IANA IPv6 space': 18,
  multicast: 7,
  transition: 3,
  cloud: 16,
  former: 7,
} as const

export const specialAddresses: readonly SpecialAddress[] = readFileSync(
  new URL('special-addresses.tsv', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [prefix = '', kind = '', list = '', name = '', source = '', , because = ''] = line.split('\t')
    return { prefix, kind, list, name, source, allowedBecause: because === '' ? null : because }
  })

type Range = { family: 4 | 6; first: bigint; last: bigint }

/** @param prefix such as `10.0.0.0/8` or `2001:db8::/32` */
const rangeOf = (prefix: string): Range => {
  const [network = '', length = ''] = prefix.split('/')
  const family = isIPv4(network) ? 4 : 6
  const size = 1n << BigInt((family === 4 ? 32 : 128) - Number(length))
  const first = (bitsOf(network) / size) * size
  return { family, first, last: first + size - 1n }
}

const bitsOf = (address: string): bigint => {
  if (isIPv4(address)) return address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const zeros = Array.from({ length: 8 - groups(head).length - groups(tail).length }, () => '0')
  return [...groups(head), ...zeros, ...groups(tail)].reduce(
    (sum, group) => (sum << 16n) | BigInt(`0x${group}`),
    0n,
  )
}

const textOf = (family: Range['family'], bits: bigint): string =>
  family === 4 ? ipv4Text(Number(bits)) : ipv6Text(bits)

/** The first and the last address of a range. */
export const endsOf = (prefix: string): string[] => {
  const { family, first, last } = rangeOf(prefix)
  return [...new Set([first, last])].map((bits) => textOf(family, bits))
}

/** The first address of a range that none of the others contains; null: together they contain it. */
const firstOutside = (range: Range, others: readonly Range[]): string | null => {
  let next = range.first
  for (const { family, first, last } of others.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
    if (family === range.family && first <= next && last >= next) next = last + 1n
  }
  return next > range.last ? null : textOf(range.family, next)
}

/** The ranges that the product denies, with all outside of global unicast IPv6. */
const deniedByProduct = (): { cidr: string; range: Range }[] => {
  const { first, last } = rangeOf(globalIpv6)
  const below = { family: 6, first: 0n, last: first - 1n } as const
  const above = { family: 6, first: last + 1n, last: (1n << 128n) - 1n } as const
  return [
    ...[...deniedIpv4, ...deniedIpv6].map(({ cidr }) => ({ cidr, range: rangeOf(cidr) })),
    { cidr: `below ${globalIpv6}`, range: below },
    { cidr: `above ${globalIpv6}`, range: above },
  ]
}

/**
 * What is wrong between the data and the product: lists with fewer ranges than they had, ends of ranges that the
 * product treats otherwise, and ranges that it denies without data.
 */
export const dataProblems = (rows: readonly SpecialAddress[] = specialAddresses): string[] => {
  const fewer = Object.entries(floors).flatMap(([list, floor]) => {
    const count = rows.filter((row) => row.list === list).length
    return count < floor ? [`the data has ${count} ranges of ${list}, fewer than ${floor}`] : []
  })
  const otherwise = rows.flatMap(({ prefix, name, allowedBecause }) =>
    endsOf(prefix)
      .filter((ip) => classifyAddress(ip, allowNothing).allowed !== (allowedBecause !== null))
      .map((ip) =>
        allowedBecause === null
          ? `the product allows ${ip} of ${prefix} (${name})`
          : `the product denies ${ip} of ${prefix} (${name}), which the data allows: ${allowedBecause}`,
      ),
  )
  const refused = rows.filter((row) => row.allowedBecause === null).map(({ prefix }) => rangeOf(prefix))
  const unknown = deniedByProduct().flatMap(({ cidr, range }) => {
    const outside = firstOutside(range, refused)
    return outside === null
      ? []
      : [`the product denies ${cidr}, and no range of the data contains ${outside}`]
  })
  return [...fewer, ...otherwise, ...unknown]
}
