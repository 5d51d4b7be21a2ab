import { describe, expect, test } from 'vitest'
import { decideName } from './decide-name.ts'
import {
  resolverResultOf,
  type Controls,
  type NameFacts,
  type ResolverResult,
  type ZoneResult,
} from './name-facts.ts'

const words = ['unknown', 'address', 'no_name', 'no_address', 'lame', 'silent'] as const
const unanswered = ['failed', 'silent'] as const
const denied = ['NXDOMAIN', 'NODATA'] as const

const facts = (controls: Controls, result: ZoneResult, unchecked: string | null = null): NameFacts => ({
  name: 'www.example.org',
  controls,
  unchecked,
  zone: {
    result,
    zone: result === 'unknown' ? null : 'example.org',
    servers: [
      { name: 'a.ns.example.org', address: '192.0.2.1', answer: 'silent' },
      { name: 'b.ns.example.org', address: '192.0.2.2', answer: 'REFUSED' },
    ],
  },
})
const decided = (resolverResult: ResolverResult, of: NameFacts): string => {
  const failure = decideName(resolverResult, of)
  return failure === null ? 'as it was' : `${failure.fault} ${failure.cause}: ${failure.reason}`
}

describe('a name that the resolver does not answer for', () => {
  test.each(unanswered)('(%s) is the probe’s fault when other names fail, too', (resolverResult) => {
    for (const result of words) {
      for (const unchecked of [null, 'NOERROR', 'SERVFAIL']) {
        expect(decideName(resolverResult, facts('failed', result, unchecked))).toBeNull()
        expect(decideName(resolverResult, facts('none', result, unchecked))).toBeNull()
        expect(decideName(resolverResult, facts('itself', result, unchecked))).toBeNull()
      }
    }
  })

  test.each<[ZoneResult, string]>([
    ['silent', 'target dns_servers_unreachable: the name servers of example.org do not answer'],
    ['lame', 'target dns_lame_delegation: the name servers of example.org do not serve it (REFUSED)'],
    ['no_name', 'target dns_not_found: the host name does not exist'],
    ['address', 'as it was'],
  ])('is decided by the zone’s own servers: %s', (result, expected) => {
    for (const resolverResult of unanswered)
      expect(decided(resolverResult, facts('answered', result))).toBe(expected)
  })

  test.each(['unknown', 'no_address'] as const)(
    'is decided by the comparison when the servers are unknown: %s',
    (result) => {
      expect(decided('failed', facts('answered', result))).toBe(
        'target dns_server_failure: the name could not be resolved, while other names were resolved',
      )
      expect(decided('silent', facts('answered', result))).toBe(
        'target dns_timeout: no answer for the name, while other names were resolved',
      )
    },
  )

  test.each(['NOERROR', 'NXDOMAIN'])(
    'fails DNSSEC when the same resolver answers it unchecked with %s',
    (unchecked) => {
      for (const result of words) {
        expect(decided('failed', facts('answered', result, unchecked))).toContain('target dnssec_failed: ')
      }
    },
  )

  test('does not fail DNSSEC when it is not answered unchecked either', () => {
    for (const unchecked of [null, 'SERVFAIL', 'REFUSED']) {
      expect(decided('failed', facts('answered', 'address', unchecked))).toBe('as it was')
    }
  })
})

describe('a name that the resolver denies', () => {
  test.each(denied)('(%s) does not exist when other names do', (resolverResult) => {
    for (const controls of ['answered', 'itself'] as const) {
      for (const result of words.filter((each) => each !== 'address')) {
        expect(decideName(resolverResult, facts(controls, result))).toBeNull()
      }
    }
  })

  test.each(denied)(
    '(%s) is not measured when the resolver resolved no name, and no server denies it',
    (word) => {
      for (const result of words) {
        const isDenied = result === 'no_name' || result === 'no_address'
        const unproven =
          'probe dns_unconfirmed: the resolver of the probe resolved no other name within the last hour'
        if (result !== 'address') {
          expect(decided(word, facts('none', result))).toBe(isDenied ? 'as it was' : unproven)
        }
      }
    },
  )

  test.each(denied)('(%s) is not measured when its own servers know it', (resolverResult) => {
    expect(decided(resolverResult, facts('answered', 'address'))).toBe(
      'probe dns_unconfirmed: the name servers of the zone know the name, but the resolver of the probe does not',
    )
  })

  test.each(denied)('(%s) is not measured when every other name is denied', (resolverResult) => {
    for (const result of words) {
      expect(decided(resolverResult, facts('failed', result))).toBe(
        'probe dns_unconfirmed: the resolver of the probe does not resolve other names either',
      )
    }
  })
})

test.each([
  ['dns_not_found', 'NXDOMAIN'],
  ['dns_no_address', 'NODATA'],
  ['dns_server_failure', 'failed'],
  ['dns_unreachable', 'silent'],
  ['dns_failed', null],
  ['dns_unconfirmed', null],
  ['connection_refused', null],
])('%s is what the resolver resolverResult: %s', (cause, resolverResult) => {
  expect(resolverResultOf(cause)).toBe(resolverResult)
})
