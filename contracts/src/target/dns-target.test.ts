import { describe, expect, test } from 'vitest'
import { allowNothing, parseAllowList } from './address.ts'
import { dnsTargetProblem, parseDnsTarget, parseResolverAddress } from './dns-target.ts'

const allowing = (...cidrs: string[]) => {
  const parsed = parseAllowList(cidrs)
  if (!parsed.ok) throw new Error(parsed.problems.join())
  return parsed.allow
}

const ruleOf = (settings: { name?: string; resolver?: string | null }, allow = allowNothing): string =>
  dnsTargetProblem({ name: 'www.example.org', resolver: null, ...settings }, { allow })?.rule ?? 'allowed'

const askedName = (name: string): string | null => {
  const parsed = parseDnsTarget({ name, resolver: '8.8.8.8' }, { allow: allowNothing })
  return parsed.ok ? parsed.target.name : null
}

describe('the name of a dns check', () => {
  const longLabel = 'a'.repeat(63)
  const longName = `${`${longLabel}.`.repeat(3)}${'b'.repeat(61)}`
  test.each<[what: string, name: string, asked: string | null]>([
    ['a name', 'www.example.org', 'www.example.org'],
    ['a name with an empty label', 'www..example.org', null],
    ['a name that begins with a dot', '.example.org', null],
    ['a trailing dot', 'Example.ORG.', 'example.org'],
    ['two trailing dots', 'example.org..', null],
    ['the root alone', '.', null],
    ['a label of 63', `${longLabel}.org`, `${longLabel}.org`],
    ['a label of 64', `${longLabel}a.org`, null],
    ['253 characters', longName, longName],
    ['254 characters', `${longName}b`, null],
    ['underscores', '_sip._tcp.example.org', '_sip._tcp.example.org'],
    ['a wildcard', '*.example.org', null],
    ['a hyphen inside', 'a-b.example.org', 'a-b.example.org'],
    ['a hyphen before', '-a.example.org', null],
    ['a hyphen behind', 'a-.example.org', null],
    ['a space', 'a b.example.org', null],
    ['a control character', 'a\u0000.example.org', null],
    ['an escape', 'a\\.b.example.org', null],
    ['a percent', 'a%62.example.org', null],
    ['an A-label', 'xn--bcher-kva.example.org', 'xn--bcher-kva.example.org'],
    ['an IDNA name', '_dmarc.Bücher.example.org', '_dmarc.xn--bcher-kva.example.org'],
    ['an IDNA name too long', `${'ö'.repeat(63)}.org`, null],
    ['what IDNA forbids', 'bü cher.example.org', null],
    ['a reverse name', '8.8.8.8.in-addr.arpa', '8.8.8.8.in-addr.arpa'],
    ['an address', '8.8.8.8', null],
    ['an IPv6 address', '2001:4860:4860::8888', null],
  ])('%s', (_, name, asked) => {
    expect(askedName(name)).toBe(asked)
  })

  test.each<[name: string, rule: string]>([
    ['www.example.org', 'allowed'],
    ['db.internal', 'dns_internal_name'],
    ['_ldap._tcp.corp', 'dns_internal_name'],
    ['kubernetes.default.svc.cluster.local', 'dns_internal_name'],
    ['localhost', 'dns_internal_name'],
    ['postgres', 'dns_internal_name'],
    ['internal.example.org', 'allowed'],
    ['8.8.8.8.in-addr.arpa', 'allowed'],
    ['1.0.0.10.in-addr.arpa', 'dns_internal_name'],
    ['10.in-addr.arpa', 'dns_internal_name'],
    ['11.in-addr.arpa', 'allowed'],
    ['lb._dns-sd._udp.0.1.168.192.in-addr.arpa', 'dns_internal_name'],
    ['1.1.169.192.in-addr.arpa', 'allowed'],
    ['8.8.8.8.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.6.8.4.0.6.8.4.1.0.0.2.ip6.arpa', 'allowed'],
    ['1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.d.f.ip6.arpa', 'dns_internal_name'],
    ['d.f.ip6.arpa', 'dns_internal_name'],
    ['0.0.8.4.0.6.2.ip6.arpa', 'allowed'],
  ])('that is internal, %s, is %s without a resolver', (name, rule) => {
    expect(ruleOf({ name })).toBe(rule)
    expect(ruleOf({ name, resolver: '8.8.8.8' })).toBe('allowed')
  })

  test('of a reverse zone that the operator allowed can use our own resolvers', () => {
    expect(ruleOf({ name: '1.0.0.10.in-addr.arpa' }, allowing('10.0.0.0/8'))).toBe('allowed')
  })
})

describe('the resolver of a dns check', () => {
  test.each<[resolver: string | null, rule: string]>([
    [null, 'allowed'],
    ['8.8.8.8', 'allowed'],
    ['8.8.8.8:53', 'allowed'],
    ['8.8.8.8:54', 'dns_resolver_port'],
    ['8.8.8.8:0', 'dns_resolver'],
    ['8.8.8.8:65536', 'dns_resolver'],
    ['8.8.8.8:', 'dns_resolver'],
    ['[8.8.8.8]:53', 'dns_resolver'],
    ['8.8.8', 'dns_resolver'],
    ['134744072', 'dns_resolver'],
    ['0x08.8.8.8', 'dns_resolver'],
    ['dns.google', 'dns_resolver'],
    ['2001:4860:4860::8888', 'allowed'],
    ['[2001:4860:4860::8888]', 'allowed'],
    ['[2001:4860:4860::8888]:53', 'allowed'],
    ['[2001:4860:4860::8888]:853', 'dns_resolver_port'],
    ['[2001:4860:4860::8888', 'dns_resolver'],
    ['127.0.0.1', 'address'],
    ['127.0.0.1:5353', 'address'],
    ['169.254.169.253', 'address'],
    ['10.0.0.2', 'address'],
    ['192.0.2.53', 'address'],
    ['::1', 'address'],
    ['::ffff:8.8.8.8', 'address'],
    ['fe80::1%eth0', 'address'],
    ['fd00::53', 'address'],
  ])('%s is %s', (resolver, rule) => {
    expect(ruleOf({ resolver })).toBe(rule)
  })

  test('may be any address that the operator allowed, on any port', () => {
    const allow = allowing('127.0.0.0/8', 'fd00::/8')
    expect(ruleOf({ resolver: '127.0.0.1:5353' }, allow)).toBe('allowed')
    expect(ruleOf({ resolver: '[fd00::53]:5353' }, allow)).toBe('allowed')
    expect(ruleOf({ resolver: '10.0.0.1:53' }, allow)).toBe('address')
    expect(ruleOf({ resolver: '8.8.8.8:5353' }, allow)).toBe('dns_resolver_port')
  })

  test('is refused with an error that does not contain its address', () => {
    const problem = dnsTargetProblem(
      { name: 'www.example.org', resolver: '10.11.12.13' },
      { allow: allowNothing },
    )
    expect(problem?.path).toBe('resolver')
    expect(problem?.message).not.toContain('10.11')
  })

  test('is parsed to its canonical form, also with a zone id from getServers', () => {
    expect(parseResolverAddress('2001:DB8:0:0::1')).toEqual({ address: '2001:db8::1', port: 53 })
    expect(parseResolverAddress('[fe80::1%eth0]:53')).toEqual({ address: 'fe80::1%eth0', port: 53 })
  })
})
