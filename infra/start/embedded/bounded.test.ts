import { expect, test } from 'vitest'
import { becomesTrue, comesWithin } from './bounded.ts'

test('an event within its bound is told from one that does not come', async () => {
  expect(await comesWithin(60_000, Promise.resolve())).toBe(true)
  expect(await comesWithin(1, new Promise(() => {}))).toBe(false)
})

test('what fails is not taken for what comes late', async () => {
  await expect(comesWithin(60_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})

test('a check is asked until it says yes, and at least once', async () => {
  let asked = 0
  const third = async () => (asked += 1) === 3
  expect(await becomesTrue(third, { waitMs: 60_000, everyMs: 1 })).toBe(true)
  expect(asked).toBe(3)
  expect(await becomesTrue(async () => true, { waitMs: 0, everyMs: 1 })).toBe(true)
  expect(await becomesTrue(async () => false, { waitMs: 0, everyMs: 1 })).toBe(false)
})
