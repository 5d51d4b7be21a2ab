import { describe, expect, test } from 'vitest'
import { hashPassword, isCurrentHash, isPassword, makePassword } from './password.ts'

const password = 'correct horse battery'

test('a password is stored as an argon2id hash that only it matches', async () => {
  const stored = await hashPassword(password)
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(stored).not.toContain(password)
  expect(await hashPassword(password)).not.toBe(stored)
  expect(await isPassword(password, stored)).toBe(true)
  expect(await isPassword(`${password}!`, stored)).toBe(false)
  expect(isCurrentHash(stored)).toBe(true)
})

test('a password matches in any Unicode composition', async () => {
  const stored = await hashPassword('caf\u00e9 au lait au lait')
  expect(await isPassword('cafe\u0301 au lait au lait', stored)).toBe(true)
})

describe('an unknown hash format matches no password', () => {
  test.each(['', 'nonsense', 'scrypt$32768$8$3$c2FsdA$aGFzaA', '$argon2id$', '$argon2id$v=19$m=1'])(
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
