import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { createUnsubscribeTokens, newConfirmationToken } from './link-tokens.ts'

const tokens = createUnsubscribeTokens('one key')

describe('an unsubscribe token', () => {
  test('is constant and identifies the subscriber', () => {
    forAll([fc.uuid()], (id) => {
      expect(tokens.of(id)).toBe(createUnsubscribeTokens('one key').of(id))
      expect(tokens.read(tokens.of(id))).toBe(id)
    })
  })

  test('is invalid with any one character changed', () => {
    const token = tokens.of(uuidv7(Date.now()))
    for (let at = 0; at < token.length; at += 1) {
      const other = token[at] === 'A' ? 'B' : 'A'
      expect(tokens.read(token.slice(0, at) + other + token.slice(at + 1))).toBeNull()
    }
  })

  test('is invalid with another key or another shape', () => {
    const id = uuidv7(Date.now())
    expect(tokens.read(createUnsubscribeTokens('another key').of(id))).toBeNull()
    forAll([fc.string({ maxLength: 80 })], (text) => tokens.read(text) === null)
  })
})

test('confirmation tokens have 256 bits and differ, and only a hash is stored', () => {
  const [one, two] = [newConfirmationToken(), newConfirmationToken()]
  expect(Buffer.from(one.token, 'base64url')).toHaveLength(32)
  expect(one.token).not.toBe(two.token)
  expect(one.hash).toHaveLength(32)
  expect(one.hash.toString('base64url')).not.toBe(one.token)
})
