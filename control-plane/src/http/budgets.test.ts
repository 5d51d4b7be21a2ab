import { expect, test } from 'vitest'
import { createBudgets } from './budgets.ts'

test('keys have budgets of their own, and the operator scales both of them', () => {
  const budgets = createBudgets({ now: () => 0, scale: 0.1 })
  for (let n = 0; n < 12; n++) expect(budgets.spend('a', 'reads').allowed).toBe(true)
  expect(budgets.spend('a', 'reads')).toEqual({
    allowed: false,
    policy: '"reads";q=12;w=60',
    rateLimit: '"reads";r=0;t=60',
    retryAfterSeconds: 60,
  })
  expect(budgets.left('a')).toEqual({ reads: 0, writes: 3 })
  expect(budgets.left('b')).toEqual({ reads: 12, writes: 3 })
})

test('a scale below one call still leaves one', () => {
  const budgets = createBudgets({ now: () => 0, scale: 0.001 })
  expect(budgets.spend('a', 'writes').allowed).toBe(true)
  expect(budgets.spend('a', 'writes').allowed).toBe(false)
})

test('keys that have been quiet for a window are forgotten once there are many', () => {
  let nowMs = 0
  const budgets = createBudgets({ now: () => nowMs, scale: 1 })
  for (let n = 0; n < 20_000; n++) budgets.spend(`key ${n}`, 'reads')
  expect(budgets.size()).toBe(20_000)
  budgets.spend('while all are busy', 'reads')
  expect(budgets.size()).toBe(20_000)
  nowMs = 30_000
  budgets.spend('key 7', 'reads')
  nowMs = 60_000
  budgets.spend('new', 'reads')
  expect(budgets.size()).toBe(2)
  expect(budgets.left('key 7').reads).toBe(119)
})
