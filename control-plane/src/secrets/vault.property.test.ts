import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { createVault, SecretUnreadable } from './vault.ts'

const key = 'the secrets key of the tests, 32 characters'
const vault = createVault(key)
const owner = ['channel', 'account', 'id']
const texts = fc.string({ unit: 'grapheme', maxLength: 500 })

test('sealed text opens for its owner and does not contain the text', () => {
  forAll([texts], (text) => {
    const sealed = vault.seal(text, owner)
    expect(vault.open(sealed, owner)).toBe(text)
    expect(createVault(key).open(sealed, owner)).toBe(text)
    if (text.length > 3) expect(Buffer.from(sealed).includes(text)).toBe(false)
  })
})

test('refuses sealed text that was changed in any byte, shortened or extended', () => {
  forAll([texts, fc.nat(), fc.integer({ min: 1, max: 255 })], (text, place, change) => {
    const sealed = Buffer.from(vault.seal(text, owner))
    const tampered = Buffer.from(sealed)
    const at = place % sealed.length
    tampered.writeUInt8(sealed.readUInt8(at) ^ change, at)
    const wrong = [tampered, sealed.subarray(0, at), Buffer.concat([sealed, Buffer.of(change)])]
    for (const each of wrong) expect(() => vault.open(each, owner)).toThrow(SecretUnreadable)
  })
})

test.each([
  ['another account', ['channel', 'other', 'id']],
  ['another channel', ['channel', 'account', 'other']],
  ['parts that join to the same text', ['channel', 'accountid']],
  ['parts that are split elsewhere', ['channel', 'account","id']],
])('sealed text does not open for %s', (_, other) => {
  expect(() => vault.open(vault.seal('text', owner), other)).toThrow(SecretUnreadable)
})

test('sealed text does not open with another key', () => {
  const sealed = vault.seal('text', owner)
  expect(() => createVault(`${key}!`).open(sealed, owner)).toThrow(SecretUnreadable)
})

test('sealing the same text twice gives different bytes', () => {
  const seals = Array.from({ length: 100 }, () => Buffer.from(vault.seal('', owner)).toString('hex'))
  expect(new Set(seals).size).toBe(100)
})
