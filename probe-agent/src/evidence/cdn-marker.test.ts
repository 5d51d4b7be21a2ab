import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import type { Headers } from '../request/outcome.ts'
import { cdnOf, cdns, type Cdn } from './cdn-marker.ts'

const servedBy = 'cache-fra-etou8220123-FRA'

describe('an answer names its CDN', () => {
  test.each<[Cdn, Headers]>([
    ['akamai', { server: 'AkamaiGHost' }],
    ['akamai', { 'akamai-grn': '0.05313217.1567801841.1457a3' }],
    ['akamai', { 'akamai-cache-status': 'Hit from child' }],
    ['akamai', { 'x-akamai-transformed': '9 - 0 pmb=mRUM,1' }],
    ['akamai', { 'x-akamai-request-id': '2256a92' }],
    ['azure-front-door', { 'x-azure-ref': '20260727T101500Z-r1cd8f5c7b9' }],
    ['bunny', { server: 'BunnyCDN-DE1-1047' }],
    ['cloudflare', { server: 'cloudflare' }],
    ['cloudflare', { 'cf-ray': '230b030023ae2822-SJC', server: 'cloudflare' }],
    ['cloudfront', { via: '1.1 4dbc8e1e4e.cloudfront.net (CloudFront)' }],
    ['cloudfront', { via: '1.1 varnish, 1.1 4dbc8e1e4e.cloudfront.net (CloudFront)' }],
    ['cloudfront', { 'x-amz-cf-id': 'bq3nSvmHb2Fz7N0w==', server: 'nginx' }],
    ['cloudfront', { 'x-amz-cf-pop': 'FRA56-P4' }],
    ['cloudfront', { server: 'CloudFront' }],
    ['fastly', { 'x-served-by': servedBy }],
    ['fastly', { 'x-served-by': 'cache-jfk1041-JFK, cache-ord1720-ORD' }],
    ['fastly', { 'x-served-by': `app-7, ${servedBy}` }],
    ['fastly', { 'x-fastly-request-id': '1f3c' }],
    ['google', { via: '1.1 google' }],
    ['google', { via: '1.1 varnish, 1.1 google' }],
    ['google', { server: 'gws' }],
    ['google', { server: 'Google Frontend' }],
    ['meta', { 'x-fb-debug': 'nTcmDD1KT1GHzug7errm==' }],
    ['netlify', { 'x-nf-request-id': '01J3', server: 'Netlify' }],
    ['vercel', { 'x-vercel-id': 'fra1::iad1::abcde', server: 'Vercel' }],
    ['vercel', { server: 'Vercel' }],
  ])('%s, by %j', (cdn, headers) => {
    expect(cdnOf(headers)).toBe(cdn)
  })

  test('when a marker came as several lines', () => {
    expect(cdnOf({ 'x-served-by': ['app-7', servedBy] })).toBe('fastly')
  })
})

describe('an answer names no CDN', () => {
  test.each<[string, Headers]>([
    ['without headers', {}],
    ['by an empty marker', { 'cf-ray': '' }],
    ['by a marker of spaces', { 'x-amz-cf-id': '  ' }],
    ['by what only begins like a server of Cloudflare', { server: 'cloudflare-like' }],
    ['by the connector in front of an origin', { server: 'cloudflared' }],
    ['by the page of another Akamai product, its storage', { server: 'AkamaiNetStorage' }],
    ['by a server that is named after Bunny', { server: 'BunnyCDN' }],
    ['by Varnish, which anybody runs', { via: '1.1 varnish', server: 'Varnish' }],
    ['by a hit of some cache', { 'x-cache': 'HIT', 'x-cache-hits': '1', age: '12' }],
    ['by a cache of its own', { 'x-served-by': 'cache-1' }],
    ['by a node that is no cache', { 'x-served-by': 'node-fra-FRA' }],
    ['by a cache without a data center', { 'x-served-by': 'cache-fra1234-fra' }],
    ['by the ids of S3', { 'x-amz-request-id': '4442587FB7D0A2F9', 'x-amz-id-2': 'a' }],
    ['by a load balancer of AWS', { server: 'awselb/2.0', 'x-amzn-requestid': 'c' }],
    ['by an upload to a store of Google', { 'x-guploader-uploadid': 'ABg5', 'x-goog-hash': 'c' }],
    ['by a proxy at Google’s offices', { via: '1.1 google-proxy' }],
    ['by a proxy that is not Google', { via: '1.1 notgoogle, 1.1 google.example' }],
    ['by a host that is named like CloudFront', { via: '1.1 cloudfront.net.example (squid)' }],
    ['by CloudFront in a comment alone', { via: '1.1 proxy.example (CloudFront)' }],
    ['by a mention of one', { 'x-powered-by': 'cloudflare', link: '<https://fastly.com>' }],
  ])('%s', (_, headers) => {
    expect(cdnOf(headers)).toBeNull()
  })

  test.each<[string, Headers]>([
    ['Cloudflare before Fastly', { server: 'cloudflare', 'x-served-by': servedBy }],
    ['Cloudflare before Google', { 'cf-ray': '230b030023ae2822-SJC', via: '1.1 google' }],
    ['CloudFront before Vercel', { 'x-amz-cf-id': 'b', 'x-vercel-id': 'fra1::a' }],
    ['two proxies in one header', { via: '1.1 google, 1.1 4d.cloudfront.net (CloudFront)' }],
  ])('where several do: %s', (_, headers) => {
    expect(cdnOf(headers)).toBeNull()
  })
})

test('any headers result in null or a known CDN', () => {
  const name = fc.oneof(
    fc.constantFrom('server', 'via', 'x-served-by', 'cf-ray', 'akamai-grn', 'x-azure-ref'),
    fc.string(),
  )
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('cloudflare', '1.1 google', 'Vercel', servedBy),
    fc.string({ unit: fc.constantFrom(',', ' ', '-', 'cache-', 'A', '1', '.', 'google') }),
  )
  const headers = fc.dictionary(name, fc.oneof(text, fc.array(text)), { noNullPrototype: false })
  forAll([headers], (headers) => {
    expect([null, ...cdns]).toContain(cdnOf(headers))
  })
})

test('CDNs are spelled as in the catalog', () => {
  const catalog = new URL('../../../control-plane/catalog/catalog.yaml', import.meta.url)
  const spelled = [...readFileSync(catalog, 'utf8').matchAll(/^ {4}cdn: (.+)$/gm)].map(([, cdn]) => cdn)
  expect(spelled.length).toBeGreaterThan(50)
  expect(cdns).toEqual(expect.arrayContaining([...new Set(spelled)]))
})
