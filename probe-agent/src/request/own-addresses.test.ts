import { expect, test } from 'vitest'
import { createOwnAddresses } from './own-addresses.ts'

test('the addresses of this machine are read again every minute', () => {
  let now = 0
  const ownAddresses = createOwnAddresses(() => now)
  const first = ownAddresses()
  expect(first).toContain('127.0.0.1')
  now = 59_999
  expect(ownAddresses()).toBe(first)
  now = 60_000
  expect(ownAddresses()).not.toBe(first)
  expect(ownAddresses()).toEqual(first)
})
