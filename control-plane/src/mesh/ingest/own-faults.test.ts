import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import { expect, test } from 'vitest'
import { createOwnFaults } from './own-faults.ts'

const ours = new TypeError('undefined is not a function')
const agents = ['019365a0-0000-7000-8000-000000000001', '019365a0-0000-7000-8000-000000000002']
/** Whether any of this many failures, of these owners in turn, is attributed to us. */
const fail = (owners: readonly string[], count: number, storedAt?: number): boolean => {
  const faults = createOwnFaults()
  return Array.from({ length: count }, (_, index) => {
    if (index === storedAt) faults.stored()
    return faults.isOurs(owners[index % owners.length] ?? '', ours)
  }).includes(true)
}

test('code that fails on every message of two regions is a fault of ours', () => {
  expect(fail(['fra', 'iad'], 9)).toBe(false)
  expect(fail(['fra', 'iad'], 10)).toBe(true)
})

test('one region, private agents and messages without an owner never prove a fault of ours', () => {
  expect(fail(['fra'], 1_000)).toBe(false)
  expect(fail(agents.map(privateRegion), 1_000)).toBe(false)
  expect(fail(['fra', 'unknown', ...agents.map(privateRegion)], 1_000)).toBe(false)
})

test('a message stored in between shows that the failed messages are at fault', () => {
  expect(fail(['fra', 'iad'], 18, 9)).toBe(false)
})
