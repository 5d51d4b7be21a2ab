import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { shippedCatalog } from '../catalog/testing.ts'
import { dnsProviderOf, dnsProviders } from './dns-provider.ts'

test.each([
  ['route53', ['ns-1.awsdns-00.com', 'ns-1707.awsdns-21.co.uk', 'ns-520.awsdns-01.net']],
  ['cloudflare', ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com']],
  ['ns1', ['dns1.p01.nsone.net', 'dns2.p01.nsone.net']],
  ['azure-dns', ['ns1-01.azure-dns.com', 'ns2-01.azure-dns.net', 'ns4-01.azure-dns.info']],
  ['google', ['ns-cloud-a1.googledomains.com', 'ns1.google.com']],
  ['akamai', ['a1-1.akam.net', 'use2.akam.net']],
  ['dnsmadeeasy', ['ns10.dnsmadeeasy.com']],
  ['ultradns', ['pdns1.ultradns.net', 'pdns196.ultradns.co.uk', 'udns1.ultradns.biz']],
  ['dnsimple', ['ns1.dnsimple.com', 'ns2.dnsimple-edge.net']],
  ['meta', ['a.ns.facebook.com']],
  ['apple', ['a.ns.apple.com']],
])('recognizes %s by its name servers', (slug, nameServers) => {
  expect(dnsProviderOf(nameServers)).toEqual({ kind: 'one', slug })
})

test.each([
  ['no name servers', [], 'unknown'],
  ['custom name servers', ['ns1.example.com', 'ns2.example.com'], 'unknown'],
  ["a name that starts with a provider's name", ['ns1.nsone.net.example.com'], 'unknown'],
  ["a label that ends with a provider's name", ['ns1.notnsone.net'], 'unknown'],
  ['two providers', ['dns1.p01.nsone.net', 'ns-1.awsdns-00.com'], 'several'],
  ['a provider and custom name servers', ['dns1.p01.nsone.net', 'ns1.example.com'], 'several'],
])('names no single provider for %s', (_, nameServers, kind) => {
  expect(dnsProviderOf(nameServers)).toEqual({ kind })
})

test('the catalog and the provider list use the same slugs', async () => {
  const { services } = await shippedCatalog()
  expect(dnsProviders).toEqual(expect.arrayContaining([...new Set(services.flatMap(({ dns }) => dns ?? []))]))
})

test('the order of name servers does not matter', () => {
  const names = ['dns1.p01.nsone.net', 'ns-1.awsdns-00.com', 'ns1.example.com', 'a.ns.apple.com']
  const anyTwo = fc
    .subarray(names)
    .chain((some) => fc.tuple(fc.constant(some), fc.shuffledSubarray(some, { minLength: some.length })))
  forAll([anyTwo], ([some, same]) => {
    expect(dnsProviderOf(same)).toEqual(dnsProviderOf(some))
  })
})
