import { describe, expect, test } from 'vitest'
import { decideName } from './decide-name.ts'
import { saidOf } from './name-facts.ts'
import type { Controls, NameFacts, Said, ZoneWord } from './name-facts.ts'

const words = ['unknown', 'address', 'no_name', 'no_address', 'lame', 'silent'] as const
const unanswered = ['failed', 'silent'] as const
const denied = ['NXDOMAIN', 'NODATA'] as const

const facts = (controls: Controls, word: ZoneWord, unchecked: string | null = null): NameFacts => ({
  name: 'www.example.org',
  controls,
  unchecked,
  zone: {
    word,
    zone: word === 'unknown' ? null : 'example.org',
    servers: [
      { name: 'a.ns.example.org', address: '192.0.2.1', answer: 'silent' },
      { name: 'b.ns.example.org', address: '192.0.2.2', answer: 'REFUSED' },
    ],
  },
})
const decided = (said: Said, of: NameFacts): string => {
  const failure = decideName(said, of)
  return failure === null ? 'as it was' : `${failure.fault} ${failure.cause}: ${failure.reason}`
}

describe('a name that the resolver does not answer for', () => {
  test.each(unanswered)('(%s) is the probe’s fault when other names fail, too', (said) => {
    for (const word of words) {
      for (const unchecked of [null, 'NOERROR', 'SERVFAIL']) {
        expect(decideName(said, facts('failed', word, unchecked))).toBeNull()
        expect(decideName(said, facts('none', word, unchecked))).toBeNull()
      }
    }
  })

  test.each<[ZoneWord, string]>([
    ['silent', 'target dns_servers_unreachable: the name servers of example.org do not answer'],
    [
      'lame',
      'target dns_lame_delegation: the name servers of example.org do not serve it (REFUSED)',
    ],
    ['no_name', 'target dns_not_found: the host name does not exist'],
    ['address', 'as it was'],
  ])('is decided by the zone’s own servers: %s', (word, expected) => {
    for (const said of unanswered) expect(decided(said, facts('answered', word))).toBe(expected)
  })

  test.each(['unknown', 'no_address'] as const)(
    'is decided by the comparison when the servers are unknown: %s',
    (word) => {
      expect(decided('failed', facts('answered', word))).toBe(
        'target dns_server_failure: the name could not be resolved, while other names were resolved',
      )
      expect(decided('silent', facts('answered', word))).toBe(
        'target dns_timeout: no answer for the name, while other names were resolved',
      )
    },
  )

  test.each(['NOERROR', 'NXDOMAIN'])(
    'fails DNSSEC when the same resolver answers it unchecked with %s',
    (unchecked) => {
      for (const word of words) {
        expect(decided('failed', facts('answered', word, unchecked))).toContain(
          'target dnssec_failed: ',
        )
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
  test.each(denied)('(%s) does not exist when other names do', (said) => {
    for (const controls of ['answered', 'none'] as const) {
      for (const word of words.filter((each) => each !== 'address')) {
        expect(decideName(said, facts(controls, word))).toBeNull()
      }
    }
  })

  test.each(denied)('(%s) is not measured when its own servers know it', (said) => {
    expect(decided(said, facts('answered', 'address'))).toBe(
      'probe dns_unconfirmed: the name servers of the zone know the name, but the resolver of the probe does not',
    )
  })

  test.each(denied)('(%s) is not measured when every other name is denied', (said) => {
    for (const word of words) {
      expect(decided(said, facts('failed', word))).toBe(
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
])('%s is what the resolver said: %s', (cause, said) => {
  expect(saidOf(cause)).toBe(said)
})
