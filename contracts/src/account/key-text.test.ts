import fc from 'fast-check'
import { crc32 } from 'node:zlib'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { apiKeyScope, formatApiKey } from './key-text.ts'

const secret = fc.uint8Array({ minLength: 32, maxLength: 32 })
const scope = fc.constantFrom('read' as const, 'read_write' as const)
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('an API key', () => {
  test('contains its scope, has a fixed length and differs from any other text', () => {
    forAll([scope, secret], (scope, bytes) => {
      const key = formatApiKey(scope, bytes)
      expect(key).toMatch(scope === 'read' ? /^sv_r_[0-9A-Za-z]{49}$/ : /^sv_rw_[0-9A-Za-z]{49}$/)
      expect(apiKeyScope(key)).toBe(scope)
    })
  })

  test('is different for different secrets', () => {
    forAll([secret, secret], (one, other) => {
      fc.pre(Buffer.compare(one, other) !== 0)
      expect(formatApiKey('read', one)).not.toBe(formatApiKey('read', other))
    })
  })

  test('is invalid after a change of one character', () => {
    forAll([scope, secret, fc.nat(48), fc.nat(61)], (scope, bytes, at, digit) => {
      const key = formatApiKey(scope, bytes)
      const start = key.lastIndexOf('_') + 1 + at
      fc.pre(key[start] !== alphabet[digit])
      const wrong = key.slice(0, start) + alphabet[digit] + key.slice(start + 1)
      expect(apiKeyScope(wrong)).toBeNull()
    })
  })

  test('ends in the base62 CRC-32 of the rest', () => {
    forAll([secret], (bytes) => {
      const key = formatApiKey('read_write', bytes)
      const sum = Array.from(key.slice(-6)).reduce((sum, digit) => sum * 62 + alphabet.indexOf(digit), 0)
      expect(sum).toBe(crc32(key.slice(0, -6)))
    })
  })

  const key = formatApiKey('read', new Uint8Array(32).fill(255))
  test('of 32 bytes of ones fits in 43 characters', () => expect(apiKeyScope(key)).toBe('read'))

  test.each([
    '',
    'sv_r_',
    key.slice(0, -1),
    `${key}0`,
    ` ${key}`,
    `${key}\n`,
    key.replace('sv_r_', 'sv_rw_'),
    key.replace('sv_r_', 'sv_x_'),
    key.toUpperCase(),
  ])('%j is not a key', (text) => expect(apiKeyScope(text)).toBeNull())
})
