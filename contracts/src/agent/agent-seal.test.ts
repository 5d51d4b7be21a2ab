import { createSealer, SealBroken } from '@probe-mesh/runtime/sealer'
import { expect, test } from 'vitest'
import { createSecretSealer, regionKeyOfToken } from './agent-seal.ts'

const key = 'k'.repeat(32)
const owner = { checkId: '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70', region: 'fra' }
const secrets = { api_key: { value: 'correct horse', hosts: ['api.example.com'] } }

test('secrets open for their check in their region alone', () => {
  const sealed = createSecretSealer(key).seal(secrets, owner)
  expect(sealed).toBe(
    createSealer(key, 'check secrets').seal(JSON.stringify(secrets), [owner.checkId, 'fra']),
  )
  expect(createSecretSealer(key).open(sealed, owner)).toEqual(secrets)
  expect(() => createSecretSealer(key).open(sealed, { ...owner, region: 'iad' })).toThrow(SealBroken)
  expect(() => createSecretSealer(`${key}k`).open(sealed, owner)).toThrow(SealBroken)
})

test("a private agent's key follows from its token and stays the same between versions", () => {
  expect(regionKeyOfToken('sv_a_one')).toBe(
    '3eceec77f2a3ad72b88a9927696b8e3cc8eab26b377de0d4456ee136b00ebe96',
  )
  expect(regionKeyOfToken('sv_a_one')).not.toBe(regionKeyOfToken('sv_a_two'))
})
