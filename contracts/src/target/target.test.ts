import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { allowNothing, classifyAddress, deniedIpv4, parseAllowList, type AllowList } from './address.ts'
import { parseTarget, targetProblem } from './target.ts'
import { inIpv4Range, ipv4Spellings, ipv4Text } from '../testing/address-spellings.ts'

const allowing = (...cidrs: string[]): AllowList => {
  const parsed = parseAllowList(cidrs)
  if (!parsed.ok) throw new Error(parsed.problems.join())
  return parsed.allow
}
const rule = (url: string, allow = allowNothing): string | null => targetProblem(url, { allow })?.rule ?? null

describe('a URL of a target', () => {
  test.each([
    'http://example.com',
    'https://example.com/',
    'HTTPS://EXAMPLE.COM/a?b=c#d',
    'https://example.com./path',
    'http://example.com:8080/',
    'http://example.com:1024/',
    'http://example.com:65535/',
    'https://münchen.de/',
    'https://a_b.example.org/',
    'http://93.184.216.34/',
    'http://[2606:4700::1111]:8443/',
    'https://example.com/@user',
    'https://example.com/?to=http://127.0.0.1/',
    'http://localhosts.com/',
    'http://notlocalhost.net/',
    'http://mylocal.org/',
    'http://internal.example.org/',
  ])('%s is accepted', (url) => expect(rule(url)).toBeNull())

  test.each([
    [`https://example.com/${'a'.repeat(2_029)}`, 'url_length'],
    ['https://exa mple.com/', 'url_characters'],
    [' https://example.com/', 'url_characters'],
    ['ht\ntps://example.com/', 'url_characters'],
    ['https://example.com/\u007f', 'url_characters'],
    ['https://example.com\\@example.org/', 'url_characters'],
    ['https://mu\u0308nchen.de/', 'url_characters'],
    ['ftp://example.com/', 'url_scheme'],
    ['file:///etc/passwd', 'url_scheme'],
    ['gopher://example.com/', 'url_scheme'],
    ['http:example.com', 'url_scheme'],
    ['//example.com', 'url_scheme'],
    ['example.com', 'url_scheme'],
    ['', 'url_scheme'],
    ['http:///example.com', 'url_invalid'],
    ['http://?a', 'url_invalid'],
    ['http://%zz/', 'url_invalid'],
    ['http://example.com:65536/', 'url_invalid'],
    ['http://[::1/', 'url_invalid'],
    ['http://[fe80::1%25eth0]/', 'url_invalid'],
    ['http://user@example.com/', 'url_credentials'],
    ['http://user:secret@example.com/', 'url_credentials'],
    ['http://@example.com/', 'url_credentials'],
    ['http://example.com:0/', 'url_port'],
    ['http://example.com:22/', 'url_port'],
    ['http://example.com:25/', 'url_port'],
    ['http://example.com:81/', 'url_port'],
    ['http://example.com:1023/', 'url_port'],
    ['http://example.com:6379/', 'url_port'],
    ['http://example.com:11211/', 'url_port'],
    ['http://example.com:9200/', 'url_port'],
    ['http://a..example.com/', 'host_name'],
    ['http://example.com../', 'host_name'],
    [`http://${'a'.repeat(64)}.com/`, 'host_name'],
    [`http://${'a.'.repeat(126)}com/`, 'host_name'],
    ['http://localhost/', 'host_localhost'],
    ['http://LOCALHOST./', 'host_localhost'],
    ['http://a.localhost/', 'host_localhost'],
    ['http://intranet/', 'host_internal'],
    ['http://grafana/', 'host_single_label'],
    ['http://printer.local/', 'host_internal'],
    ['http://printer.LOCAL./', 'host_internal'],
    ['http://metadata.google.internal/', 'host_internal'],
    ['http://instance-data/latest', 'host_internal'],
    ['http://router.home.arpa/', 'host_internal'],
    ['http://a.onion/', 'host_internal'],
  ])('%s is refused as %s', (url, expected) => expect(rule(url)).toBe(expected))

  test(`the longest allowed URL and host are accepted`, () => {
    expect(rule(`https://example.com/${'a'.repeat(2_028)}`)).toBeNull()
    expect(rule(`http://${'a'.repeat(63)}.com/`)).toBeNull()
    expect(rule(`http://${'a.'.repeat(125)}com/`)).toBeNull()
  })

  test('is returned with the name, the family of a literal and the port', () => {
    expect(parseTarget('https://Example.com./a', { allow: allowNothing })).toMatchObject({
      target: { host: 'example.com', literal: 0, port: 443 },
    })
    expect(parseTarget('http://[2606:4700::1111]:8080/', { allow: allowNothing })).toMatchObject({
      target: { host: '2606:4700::1111', literal: 6, port: 8080 },
    })
  })
})

describe('addresses in URLs', () => {
  test('refuses all denied IPv4 ranges in all notations, and never repeats the address', () => {
    forAll(
      [
        fc.constantFrom(...deniedIpv4).chain(({ cidr }) => inIpv4Range(cidr)),
        fc.constantFrom(...ipv4Spellings),
      ],
      { numRuns: 3_000 },
      (bits, spell) => {
        const problem = targetProblem(`http://${spell(bits)}/`, { allow: allowNothing })
        expect(problem?.rule).toBe('address')
        expect(problem?.message).not.toMatch(/[0-9]/)
      },
    )
  })

  test('the URL parser accepts all notations', () => {
    for (const spell of ipv4Spellings) expect(URL.canParse(`http://${spell(0x7f000001)}/`)).toBe(true)
  })

  test('accepts public IPv4 addresses', () => {
    forAll([fc.nat(0xffff_ffff)], { numRuns: 2_000 }, (bits) => {
      fc.pre(classifyAddress(ipv4Text(bits)).allowed)
      expect(rule(`http://${ipv4Text(bits)}/`)).toBeNull()
    })
  })
})

describe('with an allow list', () => {
  const allow = allowing('127.0.0.0/8', '10.0.0.0/8')

  test.each([
    'http://127.0.0.1/',
    'http://127.0.0.1:9200/',
    'http://10.0.0.7:81/',
    'http://localhost:3000/',
    'http://app.localhost:81/',
    'http://2130706433:8080/',
  ])('%s is accepted', (url) => expect(rule(url, allow)).toBeNull())

  test.each([
    ['http://192.168.0.1/', 'address'],
    ['http://[::1]/', 'address'],
    ['http://[::ffff:127.0.0.1]/', 'address'],
    ['http://10.0.0.7:0/', 'url_port'],
    ['http://8.8.8.8:53/', 'url_port'],
    ['http://example.com:81/', 'url_port'],
    ['http://example.com:9200/', 'url_port'],
    ['http://metadata.google.internal/', 'host_internal'],
  ])('%s is still refused as %s', (url, expected) => expect(rule(url, allow)).toBe(expected))

  test('localhost is refused when only other ranges are allowed', () => {
    expect(rule('http://localhost/', allowing('10.0.0.0/8'))).toBe('host_localhost')
    expect(rule('http://localhost/', allowing('::1/128'))).toBeNull()
  })
})
