import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { canonicalDnsValue, dnsExpectProblem, DnsRecordType } from './record-type.ts'

describe('a value', () => {
  test.each<[DnsRecordType, text: string, canonical: string | null]>([
    ['A', '192.0.2.1', '192.0.2.1'],
    ['A', '192.0.2.256', null],
    ['A', '192.0.2', null],
    ['A', '2001:db8::1', null],
    ['AAAA', '2001:DB8:0:0::0001', '2001:db8::1'],
    ['AAAA', '2001:db8::1::', null],
    ['AAAA', 'fe80::1%eth0', null],
    ['AAAA', '192.0.2.1', null],
    ['CNAME', 'WWW.Example.org.', 'www.example.org'],
    ['CNAME', 'www..example.org', null],
    ['NS', 'ns1.Bücher.de', 'ns1.xn--bcher-kva.de'],
    ['NS', 'ns1 example.org', null],
    ['PTR', '.', '.'],
    ['PTR', '', null],
    ['MX', ' 010   Mail.Example.org. ', '10 mail.example.org'],
    ['MX', '0 .', '0 .'],
    ['MX', 'mail.example.org', null],
    ['MX', '65536 mail.example.org', null],
    ['TXT', ' Any  text. ', ' Any  text. '],
    ['SOA', 'ns1.a.org. Admin.a.org. 1 2 3 4 4294967295', 'ns1.a.org admin.a.org 1 2 3 4 4294967295'],
    ['SOA', 'ns1.a.org admin.a.org 1 2 3 4 4294967296', null],
    ['SOA', 'ns1.a.org admin.a.org 1 2 3 4', null],
    ['SRV', '10 60 5060 Sip.Example.org', '10 60 5060 sip.example.org'],
    ['SRV', '10 60 65536 sip.example.org', null],
    ['SRV', '10 60 sip.example.org', null],
    ['CAA', '0 Issue ca.Example.net; a=B', '0 issue ca.Example.net; a=B'],
    ['CAA', '0 issue', '0 issue'],
    ['CAA', '256 issue ca.example.net', null],
    ['CAA', 'issue ca.example.net', null],
  ])('of %s, %j, becomes %j', (recordType, text, canonical) => {
    expect(canonicalDnsValue(recordType, text)).toBe(canonical)
    const problem = dnsExpectProblem({ recordType, expect: { values: [text] } })
    expect(problem?.path).toBe(canonical === null ? 'expect' : undefined)
  })

  test('in its canonical form stays unchanged', () => {
    const pieces = fc.constantFrom(
      'a',
      'B',
      '9',
      '.',
      '..',
      '\\',
      '\\.',
      ' ',
      '  ',
      '-',
      'ö',
      '。',
      ':',
      '0',
      '1 ',
      'issue',
      '"',
      '\t',
    )
    const text = fc.oneof(
      fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.string({ unit: 'grapheme' }),
      fc.ipV4(),
      fc.ipV6(),
      fc.domain().map((name) => `10 ${name}.`),
      fc.domain(),
    )
    forAll([fc.constantFrom(...DnsRecordType.options), text], { numRuns: 2_000 }, (recordType, value) => {
      const once = canonicalDnsValue(recordType, value)
      if (once !== null) expect(canonicalDnsValue(recordType, once)).toBe(once)
    })
  })
})
