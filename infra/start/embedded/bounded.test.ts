import { expect, test } from 'vitest'
import { becomesTrue, settlesWithin } from './bounded.ts'

test('distinguishes an event within its bound from a late one', async () => {
  expect(await settlesWithin(60_000, Promise.resolve())).toBe(true)
  expect(await settlesWithin(1, new Promise(() => {}))).toBe(false)
})

test('does not report a failed event as late', async () => {
  await expect(settlesWithin(60_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})

test('repeats a check until it passes, and runs it at least once', async () => {
  let asked = 0
  const third = async () => (asked += 1) === 3
  expect(await becomesTrue(third, { waitMs: 60_000, everyMs: 1 })).toBe(true)
  expect(asked).toBe(3)
  expect(await becomesTrue(async () => true, { waitMs: 0, everyMs: 1 })).toBe(true)
  expect(await becomesTrue(async () => false, { waitMs: 0, everyMs: 1 })).toBe(false)
})
