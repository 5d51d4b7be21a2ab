import { expect, test } from 'vitest'
import { createPingRate } from './ping-rate.ts'

test('limits the pings of each key in any second', () => {
  let nowMs = 1_000_000
  const rate = createPingRate({ now: () => nowMs, limit: 5 })
  const take = (count: number, key = 'a') => Array.from({ length: count }, () => rate.allows(key))
  expect(take(6)).toEqual([true, true, true, true, true, false])
  expect(take(1, 'b')).toEqual([true])
  nowMs += 999
  expect(take(1)).toEqual([false])
  nowMs += 1
  expect(take(6)).toEqual([true, true, true, true, true, false])
})

test('beyond the limit of keys the least recently used one is forgotten', () => {
  const rate = createPingRate({ now: () => 0, limit: 1, keysMax: 3 })
  for (const key of ['a', 'b', 'c']) expect(rate.allows(key)).toBe(true)
  expect(rate.allows('a')).toBe(false)
  expect(rate.allows('d')).toBe(true)
  expect([rate.size(), rate.allows('a'), rate.allows('b')]).toEqual([3, false, true])
})
