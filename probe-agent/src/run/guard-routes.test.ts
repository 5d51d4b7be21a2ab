import { classifyAddress, deniedIpv4, deniedIpv6 } from '@probe-mesh/contracts/target/address'
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
import { afterAll, describe, expect, test } from 'vitest'
import { pinAddress } from '../request/guard.ts'
import { allowing } from '../request/testing/ask.ts'
import { startRawServer } from '../request/testing/raw-server.ts'
import { startNameServer } from './testing/name-server.ts'
import { setUp } from './testing/run.ts'
import { unlimited } from '../request/unlimited.ts'

/**
 * A run refuses a non-public address without connecting, however it is spelled and reached: as the URL, by a
 * redirect, as the answer of a name, or by an alias. Only 127.0.0.1 is allowed, for the redirecting server
 * and the name server.
 */

/** IPv6 ranges that are not global at all, besides the table of those inside 2000::/3. */
const notGlobal = [
  '::/96',
  '::ffff:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '5f00::/16',
  'fc00::/7',
  'fd00:ec2::/64',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]
const one = <T>(arbitrary: fc.Arbitrary<T>): T => {
  const [value] = fc.sample(arbitrary, 1)
  if (value === undefined) throw new Error('nothing was drawn')
  return value
}
const ranges4 = deniedIpv4.map(({ cidr }) => cidr)
const ranges6 = [...deniedIpv6.map(({ cidr }) => cidr), ...notGlobal]

/** An address of each denied range in each spelling that a URL's host may have. */
const hosts = [
  ...ranges4.flatMap((cidr) => ipv4Spellings.map((spell) => spell(one(inIpv4Range(cidr))))),
  ...ranges6.flatMap((cidr) => ipv6Spellings.map((spell) => `[${spell(one(inIpv6Range(cidr)))}]`)),
]
/** The same addresses as answers of a name server: plain, and inside an IPv6 address. */
const answers = [
  ...ranges4.map((cidr) => ipv4Text(one(inIpv4Range(cidr)))),
  ...ranges4.flatMap((cidr) => ipv4Embeddings.map((embed) => embed(one(inIpv4Range(cidr))))),
  ...ranges6.map((cidr) => ipv6Text(one(inIpv6Range(cidr)))),
]
/** Addresses of the test's own servers are left out. */
const isOpen = (text: string): boolean => URL.parse(`http://${text}/`)?.hostname === '127.0.0.1'

describe('an address that is not public is refused', async () => {
  const allow = allowing('127.0.0.1')
  const names = await startNameServer()
  const redirecting = await startRawServer((socket, head) => {
    const to = decodeURIComponent(/\?to=(\S+)/.exec(head)?.[1] ?? '')
    socket.end(`HTTP/1.1 302 Found\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`)
  })
  afterAll(async () => {
    await Promise.all([names.close(), redirecting.close()])
  })
  const { run } = setUp({ allow, resolver: names.resolver })

  /** @returns the targets that were not refused; must be empty */
  const notRefused = async (
    cases: readonly string[],
    urlOf: (each: string) => string,
    as = 'unmeasured unsafe_target',
  ) => {
    const accepted: string[] = []
    for (const each of cases.filter((text) => !isOpen(text))) {
      const { verdict, cause, address } = await run(urlOf(each))
      const refused = `${verdict} ${cause}` === as && address === null
      if (!refused) accepted.push(`${each}: ${verdict} ${cause}`)
    }
    return accepted
  }

  test(`in ${hosts.length} spellings, requested directly`, async () => {
    expect(await notRefused(hosts, (host) => `http://${host}/`)).toEqual([])
  })

  // a Location header contains only ASCII
  // oxlint-disable-next-line no-control-regex -- ASCII is what is looked for
  const inHeader = hosts.filter((host) => /^[\u0000-\u007f]*$/.test(host))
  test(`in ${inHeader.length} spellings, behind a redirect`, async () => {
    const base = `http://127.0.0.1:${redirecting.port}/`
    const urlOf = (host: string) => `${base}?to=${encodeURIComponent(`http://${host}/`)}`
    expect(await notRefused(inHeader, urlOf, 'down redirect_not_public')).toEqual([])
    expect(redirecting.requests.length).toBeGreaterThan(inHeader.length / 2)
  })

  test(`in ${answers.length} forms, as the answer of a name`, async () => {
    let number = 0
    const urlOf = (address: string) => {
      const name = `n${number++}.example.com`
      names.set(name, [address])
      return `http://${name}/`
    }
    expect(await notRefused(answers, urlOf)).toEqual([])
  })

  test(`in ${answers.length} forms, as the answer of an alias, beside a public address`, async () => {
    let number = 0
    const urlOf = (address: string) => {
      const name = `a${number++}.example.com`
      names.set(`to.${name}`, [address, '93.184.216.34'])
      names.set(name, { alias: `to.${name}` })
      return `http://${name}/`
    }
    expect(await notRefused(answers, urlOf)).toEqual([])
  })
})

test('10,000 public addresses are allowed', async () => {
  const guard = {
    allow: allowing('127.0.0.1'),
    resolver: { resolve4: async () => [], resolve6: async () => [] },
    ownAddresses: () => new Set<string>(),
    ...unlimited,
  }
  const isPublic = (address: string): boolean => classifyAddress(address).allowed
  const ipv4 = fc.nat(0xffff_ffff).map(ipv4Text)
  const ipv6 = inIpv6Range('2000::/3').map(ipv6Text)
  const addresses = fc.sample(fc.oneof(ipv4.filter(isPublic), ipv6.filter(isPublic)), 10_000)
  const refused: string[] = []
  for (const address of addresses) {
    const literal = address.includes(':') ? 6 : 4
    const pinned = await pinAddress({ host: address, literal }, guard)
    if (!pinned.ok) refused.push(address)
  }
  expect(refused).toEqual([])
})
