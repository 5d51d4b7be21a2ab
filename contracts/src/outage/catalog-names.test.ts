import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { hostOf, isAddress, isDotted, nameKey, wordsOf } from './catalog-names.ts'

describe('the key of a name', () => {
  test.each([
    ['GitHub', 'github'],
    ['  git  hub! ', 'github'],
    ['Git-Hub', 'github'],
    ['Disney+', 'disney'],
    ['Pokémon', 'pokemon'],
    ['ＧｉｔＨｕｂ', 'github'],
    ['AWS N. Virginia', 'awsnvirginia'],
    ['gіthub', 'gіthub'],
    ['हिन्दी', 'हिन्दी'],
    ['\u1100!\u1161', '가'],
    ['!?', ''],
    ['', ''],
  ])('for %j is %j', (name, key) => expect(nameKey(name)).toBe(key))

  test('is idempotent', () => {
    forAll([fc.string({ unit: 'binary', maxLength: 40 })], { numRuns: 500 }, (name) => {
      expect(nameKey(nameKey(name))).toBe(nameKey(name))
    })
  })
})

test.each([
  ['GitHub Actions', ['github', 'actions']],
  ['is git-hub down?', ['is', 'git', 'hub', 'down']],
  ['  ', []],
])('the words of %j are %j', (name, words) => expect(wordsOf(name)).toEqual(words))

describe('the host in a text', () => {
  test.each([
    ['github.com', 'github.com'],
    ['GITHUB.com.', 'github.com'],
    [' www.github.com ', 'www.github.com'],
    ['https://github.com/foo?a=b#c', 'github.com'],
    ['HTTPS://github.com:8443/', 'github.com'],
    ['github.com/foo', 'github.com'],
    ['github.com:443', 'github.com'],
    ['node.js', 'node.js'],
    ['1.1.1.1', '1.1.1.1'],
    ['https://bücher.de/', 'xn--bcher-kva.de'],
    ['https://evil.com/?to=github.com', 'evil.com'],
  ])('%j has the host %s', (text, host) => expect(hostOf(text)).toBe(host))

  test.each([
    'github',
    'github/foo.bar',
    'https://github/',
    'ftp://github.com',
    'javascript://github.com',
    'user@github.com',
    'https://github.com@evil.com/',
    'evil.com\\@github.com',
    'git hub.com',
    'https://git\nhub.com/',
    'github.com:99999',
    'git%.hub',
    'St. Jude',
    '.com',
    'com.',
    '',
  ])('%j has no host', (text) => expect(hostOf(text)).toBeNull())

  test('is a lower-case name without a trailing dot, for any text', () => {
    forAll([fc.oneof(fc.webUrl(), fc.domain(), fc.string())], (text) => {
      const host = hostOf(text)
      if (host !== null) expect(host).toMatch(/^[^A-Z\s/?#@\\]*[^.]$/)
    })
  })
})

test.each([
  ['Node.js', true],
  ['a.b', true],
  ['St. Jude', false],
  ['Yahoo.', false],
  ['..', false],
])('%j is dotted: %s', (name, expected) => expect(isDotted(name)).toBe(expected))

test.each([
  ['@github', true],
  ['https://github', true],
  ['git%hub', true],
  ['git\\hub', true],
  ['AT&T', false],
  ['Disney+', false],
])('%j is an address: %s', (text, expected) => expect(isAddress(text)).toBe(expected))
