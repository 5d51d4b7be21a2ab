import { expect, test } from 'vitest'
import { firstCheckOf } from './welcome.ts'

test.each([
  ['example.org', { name: 'example.org', url: 'https://example.org' }],
  [' example.org/health?a=1 ', { name: 'example.org', url: 'https://example.org/health?a=1' }],
  ['example.org:8443', { name: 'example.org', url: 'https://example.org:8443' }],
  ['http://example.org', { name: 'example.org', url: 'http://example.org' }],
  ['ftp://example.org', { name: 'example.org', url: 'ftp://example.org' }],
  ['', { name: 'First check', url: '' }],
  ['https://', { name: 'First check', url: 'https://' }],
  ['two words', { name: 'First check', url: 'https://two words' }],
])('%j is %j', (typed, check) => {
  expect(firstCheckOf(typed)).toEqual(check)
})
