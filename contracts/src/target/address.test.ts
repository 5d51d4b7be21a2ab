import fc from 'fast-check'
import { isIPv4 } from 'node:net'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import {
  classifyAddress,
  deniedIpv4,
  deniedIpv6,
  globalIpv6,
  parseAllowList,
  type AllowList,
} from './address.ts'

const allowing = (...cidrs: string[]): AllowList => {
  const parsed = parseAllowList(cidrs)
  if (!parsed.ok) throw new Error(parsed.problems.join())
  return parsed.allow
}

/** An independent parser of addresses, as a reference for the matcher. */
const toBits = (ip: string): bigint => {
  if (isIPv4(ip)) return ip.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)
  const [head = '', tail] = ip.split('::')
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const after = tail === undefined ? [] : groups(tail)
  const zeros = Array.from({ length: 8 - groups(head).length - after.length }, () => '0')
  return [...groups(head), ...zeros, ...after].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n)
}
const v4Text = (bits: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 255n)).join('.')
const v6Text = (bits: bigint): string =>
  Array.from({ length: 8 }, (_, n) => ((bits >> BigInt(112 - 16 * n)) & 0xffffn).toString(16)).join(':')
const within = (bits: bigint, cidr: string, width: number): boolean => {
  const [network = '', prefix = ''] = cidr.split('/')
  const shift = BigInt(width - Number(prefix))
  return bits >> shift === toBits(network) >> shift
}
const edges = (cidr: string): { first: string; last: string } => {
  const [network = '', prefix = ''] = cidr.split('/')
  const width = isIPv4(network) ? 32 : 128
  const host = (1n << BigInt(width - Number(prefix))) - 1n
  const first = (toBits(network) | host) ^ host
  const text = width === 32 ? v4Text : v6Text
  return { first: text(first), last: text(first | host) }
}

describe('addresses of targets', () => {
  test.each([
    '93.184.216.34',
    '1.1.1.1',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.0',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '192.0.1.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '168.63.129.15',
    '168.63.129.17',
    '2606:4700::1111',
    '2001:200::1',
    '2001:db7:ffff::',
    '2001:db9::',
    '2003::1',
    '3ffe:ffff::',
    '3fff:1000::',
    '2620:4f:7fff::1',
    '2620:4f:8001::1',
  ])('%s is allowed', (ip) => expect(classifyAddress(ip)).toEqual({ allowed: true }))

  test.each([
    ['127.0.0.1', 'loopback'],
    ['0.0.0.0', 'this_network'],
    ['10.1.2.3', 'private'],
    ['192.168.255.255', 'private'],
    ['169.254.169.254', 'cloud_metadata'],
    ['169.254.1.1', 'link_local'],
    ['100.100.100.200', 'cloud_metadata'],
    ['100.64.0.1', 'carrier_grade_nat'],
    ['168.63.129.16', 'cloud_metadata'],
    ['255.255.255.255', 'reserved'],
    ['::', 'not_global'],
    ['::1', 'not_global'],
    ['::127.0.0.1', 'not_global'],
    ['::ffff:127.0.0.1', 'not_global'],
    ['::ffff:8.8.8.8', 'not_global'],
    ['::ffff:0:127.0.0.1', 'not_global'],
    ['64:ff9b::7f00:1', 'not_global'],
    ['64:ff9b:1::7f00:1', 'not_global'],
    ['fd00:ec2::254', 'not_global'],
    ['fd20:ce::254', 'not_global'],
    ['fe80::1', 'not_global'],
    ['fec0::1', 'not_global'],
    ['ff02::1', 'not_global'],
    ['100::1', 'not_global'],
    ['5f00::1', 'not_global'],
    ['2002:7f00:1::', 'tunnel'],
    ['2001:0:7f00:1::', 'tunnel'],
    ['2001:2::1', 'benchmarking'],
    ['2001:20::1', 'protocol_assignments'],
    ['2001:db8::1', 'documentation'],
    ['3fff::1', 'documentation'],
    ['fe80::1%eth0', 'not_an_address'],
    ['127.1', 'not_an_address'],
    ['example.com', 'not_an_address'],
    ['', 'not_an_address'],
  ])('%s is refused as %s', (ip, rule) => expect(classifyAddress(ip)).toEqual({ allowed: false, rule }))

  test.each([...deniedIpv4, ...deniedIpv6].map((row) => row.cidr))('both ends of %s are refused', (cidr) => {
    const { first, last } = edges(cidr)
    expect([classifyAddress(first).allowed, classifyAddress(last).allowed]).toEqual([false, false])
  })

  test('allows an IPv4 address exactly when no row contains it', () => {
    forAll([fc.nat(0xffff_ffff)], { numRuns: 2_000 }, (number) => {
      const bits = BigInt(number)
      const denied = deniedIpv4.some(({ cidr }) => within(bits, cidr, 32))
      expect(classifyAddress(v4Text(bits)).allowed).toBe(!denied)
    })
  })

  test('allows an IPv6 address exactly when it is global and no row contains it', () => {
    const near = fc.constantFrom(...deniedIpv6.map(({ cidr }) => toBits(edges(cidr).last)))
    const anywhere = fc.bigInt(0n, (1n << 128n) - 1n)
    const address = fc.oneof(
      anywhere,
      anywhere.map((bits) => (bits & ((1n << 125n) - 1n)) | (1n << 125n)),
      fc.tuple(near, fc.bigInt(-2n, 2n)).map(([bits, step]) => bits + step),
    )
    forAll([address], { numRuns: 2_000 }, (bits) => {
      const denied = deniedIpv6.some(({ cidr }) => within(bits, cidr, 128))
      const expected = within(bits, globalIpv6, 128) && !denied
      expect(classifyAddress(v6Text(bits)).allowed).toBe(expected)
    })
  })
})

describe('the operator’s allow list', () => {
  test('allows exactly its ranges', () => {
    const allow = allowing('127.0.0.0/8', ' fd00::/8 ', '10.1.2.3')
    expect(
      ['127.0.0.1', '127.255.255.255', 'fd12::1', '10.1.2.3', '8.8.8.8'].map(
        (ip) => classifyAddress(ip, allow).allowed,
      ),
    ).toEqual([true, true, true, true, true])
    expect(
      ['10.1.2.4', '192.168.0.1', '::1', 'fe80::1', '169.254.169.254'].map(
        (ip) => classifyAddress(ip, allow).allowed,
      ),
    ).toEqual([false, false, false, false, false])
  })

  test('does not apply an IPv4 range to IPv6 addresses that embed it', () => {
    const allow = allowing('127.0.0.0/8')
    expect(classifyAddress('::ffff:127.0.0.1', allow).allowed).toBe(false)
    expect(classifyAddress('::127.0.0.1', allow).allowed).toBe(false)
  })

  test.each([
    '',
    '10.0.0.0/33',
    '::/129',
    '10.0.0/8',
    '10.0.0.0/',
    '10.0.0.0/-1',
    'fe80::1%lo/64',
    'example.com/8',
    '10.0.0.0/8/8',
  ])('%s is refused, and the problem contains it', (text) => {
    const parsed = parseAllowList(['10.0.0.0/8', text])
    expect(parsed).toMatchObject({ ok: false, problems: [expect.stringContaining(`"${text}"`)] })
  })

  test('lists all invalid entries at once', () => {
    expect(parseAllowList(['a', '10.0.0.0/8', 'b'])).toMatchObject({
      problems: [/a/, /b/].map(() => expect.any(String)),
    })
  })

  test.each(['0.0.0.0/0', '::/0', '10.0.0.1/32', '::1/128'])('%s is a range', (cidr) => {
    expect(parseAllowList([cidr]).ok).toBe(true)
  })
})
