import { expect, test } from 'vitest'
import { accentOf, logoOf } from './brand.ts'

test.each([
  ['https://cdn.example.org/logo.svg?a=1', 'https://cdn.example.org'],
  ['https://cdn.example.org:8443/logo.svg', 'https://cdn.example.org:8443'],
  ['HTTPS://CDN.Example.org/logo.svg', 'https://cdn.example.org'],
  ['https://bücher.example/logo.svg', 'https://xn--bcher-kva.example'],
])('a logo at %s is shown', (url, origin) => {
  expect(logoOf(url)).toEqual({ url: new URL(url).href, origin })
})

test.each([
  null,
  'http://cdn.example.org/logo.svg',
  'javascript:alert(1)',
  'data:image/svg+xml,<svg/>',
  'https://user@cdn.example.org/logo.svg',
  'https://:secret@cdn.example.org/logo.svg',
  "https://a;script-src'unsafe-inline'/logo.svg",
  'https://a,b/logo.svg',
  'https://*/logo.svg',
  'no address',
])('a logo at %s is not', (url) => {
  expect(logoOf(url)).toBeNull()
})

test.each([
  ['#0A7D4F', 'system', '0a7d4f'],
  ['#0a7d4f', 'dark', '0a7d4f'],
  ['#0a7d4f', 'high_contrast', null],
  [null, 'system', null],
  ['#0a7d4f}', 'system', null],
] as const)('the accent %s of a page in %s is %s', (accentColor, themePreset, accent) => {
  expect(accentOf({ accentColor, themePreset })).toBe(accent)
})
