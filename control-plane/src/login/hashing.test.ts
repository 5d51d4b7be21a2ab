import { isRefusal } from '@probe-mesh/contracts/refusal'
import { expect, test } from 'vitest'
import { hashPassword, isCurrentHash } from '../passwords/password.ts'
import { createHashing, nobody } from './hashing.ts'

test('two are hashed at a time, fifty wait, and more are refused at once', async () => {
  const hashing = createHashing()
  const results = await Promise.all(Array.from({ length: 60 }, () => hashing.hash('password')))
  const refused = results.filter(isRefusal)
  expect(refused).toHaveLength(8)
  expect([hashing.waiting, hashing.refused]).toEqual([0, 8])
  expect(refused[0]).toMatchObject({ refused: 'SV-9002', retryAfterSeconds: 1 })
  expect(await hashing.hash('password')).toMatch(/^\$argon2id\$/)
})

test('one that fails gives its place to the next', async () => {
  const hashing = createHashing()
  const broken = { normalize: () => undefined } as unknown as string
  const results = await Promise.allSettled([1, 2, 3].map(() => hashing.hash(broken)))
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await hashing.hash('password')).toMatch(/^\$argon2id\$/)
})

test('where there is no such user the same work is done, and never succeeds', async () => {
  const hashing = createHashing()
  expect(isCurrentHash(nobody)).toBe(true)
  expect(await hashing.isPassword('', null)).toBe(false)
  expect(await hashing.isPassword('password', null)).toBe(false)
  expect(await hashing.isPassword('password', await hashPassword('password'))).toBe(true)
})
