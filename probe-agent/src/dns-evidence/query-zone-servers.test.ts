import packet from 'dns-packet'
import { allowNothing } from '@probe-mesh/contracts/target/address'
import { denyNothing, parseDenyList } from '@probe-mesh/contracts/target/deny-list'
import { describe, expect, test } from 'vitest'
import type { AddressGuard } from '../request/guard.ts'
import { allowing } from '../request/testing/ask.ts'
import { queryZoneServers } from './query-zone-servers.ts'
import { resolverWith, startZones, type Word } from './testing.ts'

const name = 'www.example.org'
const top = '127.7.0.1'
const one = '127.7.0.2'
const other = '127.7.0.3'
const below = {
  zone: 'example.org',
  servers: { 'a.ns.example.org': one, 'b.ns.example.org': other },
}

/** @param words the replies of the servers of `org`, and of the two of `example.org` */
const ask = async (
  words: Record<string, Word>,
  { guard = {}, left = 6, host = name }: { guard?: Partial<AddressGuard>; left?: number; host?: string } = {},
) => {
  const zones = await startZones(words)
  const resolver = resolverWith({ 'top.example.net': [top] }, { org: ['top.example.net'] })
  const questions = { left }
  const facts = await queryZoneServers({
    name: host,
    questions,
    signal: new AbortController().signal,
    port: zones.port,
    guard: {
      allow: allowing('127.7.0.0/16'),
      deny: denyNothing,
      resolver,
      ownAddresses: () => new Set(),
      spend: () => true,
      ...guard,
    },
  })
  const said = facts.servers.map(({ name: of, answer }) => `${of}: ${answer}`).toSorted()
  return { facts, said, asked: zones.asked, resolver, used: left - questions.left }
}

const refused = { rcode: 5 }

describe('the servers of a zone', () => {
  test.each<[what: string, Word, Word, result: string, said: string[]]>([
    ['know the name', { address: '192.0.2.1' }, { address: '192.0.2.1' }, 'address', ['NOERROR']],
    ['deny it', { rcode: 3 }, { rcode: 3 }, 'no_name', ['NXDOMAIN']],
    ['have no address of it', { rcode: 0 }, { rcode: 0 }, 'no_address', ['NOERROR']],
    ['do not answer', 'silent', 'silent', 'silent', ['silent', 'silent']],
    ['refuse', refused, refused, 'lame', ['REFUSED', 'REFUSED']],
    ['fail', { rcode: 2 }, { rcode: 2 }, 'lame', ['SERVFAIL', 'SERVFAIL']],
    ['do not answer or refuse', 'silent', refused, 'lame', ['REFUSED', 'silent']],
    [
      'answer without authority',
      { rcode: 0, flags: 0 },
      { rcode: 0, flags: 0 },
      'lame',
      ['not authoritative', 'not authoritative'],
    ],
    [
      'lead upward',
      { zone: '.', servers: { 'root.example.net': null } },
      { zone: 'org', servers: { 'top.example.net': null } },
      'lame',
      ['referral', 'referral'],
    ],
    ['lead elsewhere', { alias: 'cdn.example.com' }, { alias: 'cdn.example.com' }, 'unknown', ['NOERROR']],
    [
      'are something that resolves for others',
      { address: '192.0.2.1', flags: packet.RECURSION_AVAILABLE },
      { address: '192.0.2.1', flags: packet.RECURSION_AVAILABLE },
      'unknown',
      ['not authoritative'],
    ],
  ])('%s', async (_, first, second, result, said) => {
    const seen = await ask({ [top]: below, [one]: first, [other]: second })
    expect(seen.facts).toMatchObject({ result, zone: 'example.org' })
    expect(seen.said[seen.said.length - 1]).toBe('top.example.net: referral')
    expect(
      seen.said
        .slice(0, -1)
        .map((each) => each.replace(/^.*: /, ''))
        .toSorted(),
    ).toEqual(said)
  })

  test('one with an answer outweighs a silent one', async () => {
    for (const [first, second] of [
      ['silent', { address: '192.0.2.1' }],
      [{ address: '192.0.2.1' }, 'silent'],
    ] as const) {
      const { facts } = await ask({ [top]: below, [one]: first, [other]: second })
      expect(facts.result).toBe('address')
    }
  })

  test('are found through each delegation, also without addresses in it', async () => {
    const deeper = { zone: 'www.example.org', servers: { 'deep.example.org': other } }
    const { facts, asked } = await ask({
      [top]: { zone: 'example.org', servers: { 'a.ns.example.org': one } },
      [one]: deeper,
      [other]: 'silent',
    })
    expect(facts).toMatchObject({ result: 'silent', zone: 'www.example.org' })
    expect(new Set(asked)).toEqual(new Set([top, one, other].map((each) => `${each} A ${name}`)))
    const { facts: without, resolver } = await ask({
      [top]: { zone: 'example.org', servers: { 'top.example.net': null } },
    })
    // its only server is that of the parent zone, which refers to itself
    expect(without).toMatchObject({ result: 'lame', zone: 'example.org' })
    expect(resolver.asked).toEqual(['NS org', 'A top.example.net', 'A top.example.net'])
  })
})

describe('a zone stays unknown', () => {
  test.each<[what: string, Word]>([
    ['does not answer', 'silent'],
    ['refuses', refused],
    ['is something that resolves for others', { rcode: 3, flags: packet.RECURSION_AVAILABLE }],
  ])('whose parent %s: such questions may not leave this network', async (_, result) => {
    const { facts, asked } = await ask({ [top]: result, [one]: 'silent', [other]: 'silent' })
    expect(facts).toMatchObject({ result: 'unknown', zone: null })
    expect(asked.every((each) => each.startsWith(top))).toBe(true)
  })

  test('when the resolver does not know its parent', async () => {
    const seen = await ask({ [top]: below }, { host: 'www.example.test' })
    expect(seen.facts).toEqual({ result: 'unknown', zone: null, servers: [] })
    expect(seen.asked).toEqual([])
  })

  const denied = parseDenyList(['127.7.0.0/16'])
  const opened = allowing('127.7.0.0/16')
  const spent: string[] = []
  test.each<[what: string, Partial<AddressGuard>, address: string]>([
    ['are no public ones', { allow: allowNothing }, top],
    [
      'are of this machine',
      { allow: { ...opened, coversOwn: () => false }, ownAddresses: () => new Set([top]) },
      top,
    ],
    ['do not want to be asked', { deny: denied.ok ? denied.deny : denyNothing }, top],
    ['are asked as often as they may be', { spend: (address) => spent.push(address) === 0 }, '93.184.215.14'],
  ])('whose parent’s addresses %s, and nobody is asked', async (_, guard, address) => {
    const resolver = resolverWith({ 'top.example.net': [address] }, { org: ['top.example.net'] })
    const { facts, asked } = await ask({ [top]: below }, { guard: { resolver, ...guard } })
    expect(facts).toEqual({ result: 'unknown', zone: null, servers: [] })
    expect(asked).toEqual([])
    expect(spent).toEqual(address === top ? [] : [address])
  })

  test('when its servers are not public: they are not queried', async () => {
    const inside = { zone: 'example.org', servers: { 'a.ns.example.org': '10.0.0.53' } }
    const { facts, said } = await ask({ [top]: inside })
    expect(facts.result).toBe('unknown')
    expect(said).toEqual(['top.example.net: referral'])
  })

  test('after the last allowed question', async () => {
    for (const [left, result] of [
      [0, 'unknown'],
      [1, 'unknown'],
      [2, 'unknown'],
      [3, 'unknown'],
      [4, 'silent'],
      [5, 'silent'],
      [6, 'silent'],
    ] as const) {
      const { facts, used } = await ask({ [top]: below, [one]: 'silent', [other]: 'silent' }, { left })
      expect([left, facts.result, used]).toEqual([left, result, Math.min(left, 5)])
    }
  })
})
