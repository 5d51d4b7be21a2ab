import { expect, test } from 'vitest'
import { isOurOwn } from './same-site.ts'

const host = 'mesh.example.org'
const own = `https://${host}`

test.each<[string, Record<string, string>, boolean]>([
  ['POST', { 'sec-fetch-site': 'same-origin' }, true],
  ['POST', { 'sec-fetch-site': 'none' }, true],
  ['POST', { 'sec-fetch-site': 'same-site' }, false],
  ['POST', { 'sec-fetch-site': 'cross-site' }, false],
  ['POST', { 'sec-fetch-site': 'SAME-ORIGIN' }, false],
  ['POST', { 'sec-fetch-site': '' }, false],
  ['POST', { 'sec-fetch-site': 'cross-site', origin: own }, false],
  ['POST', { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }, true],
  ['POST', { origin: own }, true],
  ['POST', { origin: `${own}:8443` }, false],
  ['POST', { origin: 'https://evil.example' }, false],
  ['POST', { origin: `https://${host}.evil.example` }, false],
  ['POST', { origin: 'null' }, false],
  ['POST', { origin: '' }, false],
  ['POST', {}, true],
  ['PATCH', { origin: 'https://evil.example' }, false],
  ['DELETE', { 'sec-fetch-site': 'cross-site' }, false],
  ['GET', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, true],
  ['HEAD', { 'sec-fetch-site': 'cross-site' }, true],
])('%s with %o: from our own page %s', (method, headers, expected) => {
  expect(isOurOwn(method, { host, ...headers })).toBe(expected)
})
