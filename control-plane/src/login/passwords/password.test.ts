import { scryptSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { hashPassword, isCurrentHash, isPassword, makePassword } from './password.ts'

const password = 'correct horse battery'

const scryptHash = (text: string): string => {
  const salt = Buffer.alloc(16, 7)
  const cost = { N: 32_768, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }
  const hashed = scryptSync(text, salt, 32, cost).toString('base64')
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64'), hashed].join('$')
}

test('a password is stored as an argon2id hash that only it matches', async () => {
  const stored = await hashPassword(password)
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(stored).not.toContain(password)
  expect(await hashPassword(password)).not.toBe(stored)
  expect(await isPassword(password, stored)).toBe(true)
  expect(await isPassword(`${password}!`, stored)).toBe(false)
  expect(isCurrentHash(stored)).toBe(true)
})

test('a hash of the first accounts still matches, and needs renewal', async () => {
  const stored = scryptHash(password)
  expect(await isPassword(password, stored)).toBe(true)
  expect(await isPassword(`${password}!`, stored)).toBe(false)
  expect(isCurrentHash(stored)).toBe(false)
})

test('a password matches in any Unicode composition', async () => {
  const stored = await hashPassword('caf\u00e9 au lait au lait')
  expect(await isPassword('cafe\u0301 au lait au lait', stored)).toBe(true)
})

describe('an unknown hash format matches no password', () => {
  test.each(['', 'nonsense', 'scrypt$', 'scrypt$1$2$3', '$argon2id$', '$argon2id$v=19$m=1'])(
    '%j',
    async (stored) => {
      expect(await isPassword(password, stored)).toBe(false)
      expect(isCurrentHash(stored)).toBe(false)
    },
  )
})

test('a hash with a lower cost needs renewal', () => {
  const weak =
    '$argon2id$v=19$m=4096,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$c29tZWhhc2hzb21laGFzaHNvbWVoYXNoc29tZWhhc2g'
  expect(isCurrentHash(weak)).toBe(false)
})

test('a generated password is long and unique', () => {
  expect(makePassword()).toMatch(/^[\w-]{20}$/)
  expect(makePassword()).not.toBe(makePassword())
})
