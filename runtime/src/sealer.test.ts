import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { createSealer, SealBroken } from './sealer.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 200 })
const owner = fc.array(fc.string({ maxLength: 10 }), { maxLength: 3 })

test('opens what was sealed, for the same owner, with the same key', () => {
  forAll([text, owner], (secret, owned) => {
    const sealed = createSealer('a secret of sixteen', 'test').seal(secret, owned)
    expect(createSealer('a secret of sixteen', 'test').open(sealed, owned)).toBe(secret)
  })
})

test('seals the same text to the same bytes, and any other to others', () => {
  const sealer = createSealer('a secret of sixteen', 'test')
  forAll([text, text, owner], (one, other, owned) => {
    expect(sealer.seal(one, owned) === sealer.seal(other, owned)).toBe(one === other)
  })
})

test('opens nothing with another key, purpose, owner or byte', () => {
  const sealer = createSealer('a secret of sixteen', 'test')
  forAll([text, owner, fc.nat(), fc.integer({ min: 1, max: 255 })], (secret, owned, at, flip) => {
    const sealed = sealer.seal(secret, owned)
    const bytes = Buffer.from(sealed, 'base64')
    const place = at % bytes.length
    bytes[place] = (bytes[place] ?? 0) ^ flip
    expect(() => sealer.open(bytes.toString('base64'), owned)).toThrow(SealBroken)
    expect(() => sealer.open(sealed, [...owned, 'other'])).toThrow(SealBroken)
    expect(() => createSealer('a secret of sixteen', 'other').open(sealed, owned)).toThrow(SealBroken)
    expect(() => createSealer('another secret here', 'test').open(sealed, owned)).toThrow(SealBroken)
  })
  for (const broken of ['', 'AQ==', 'no base64 at all']) {
    expect(() => sealer.open(broken, [])).toThrow(SealBroken)
  }
})
