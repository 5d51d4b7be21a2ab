import { expect, test } from 'vitest'
import { createCostBudget } from './cost-budget.ts'

const limits = {
  bytes: { burst: 1_000, perSecond: 100 },
  threadMs: { burst: 1_000, perSecond: 100 },
}
const budgetAt = (scale = 1) => {
  const clock = { atMs: 1_000_000 }
  return { clock, budget: createCostBudget({ now: () => clock.atMs, limits, scale }) }
}

test.each(['bytes', 'threadMs'] as const)(
  'a project with spent %s waits; other projects and addresses do not',
  (kind) => {
    const { clock, budget } = budgetAt()
    const cost = { bytes: 0, threadMs: 0 }
    budget.spend('p', 'a', { ...cost, [kind]: 250 })
    // an address has a quarter
    expect(budget.waitMs('p', 'a')).toBeGreaterThan(0)
    expect(budget.waitMs('p', 'b')).toBe(0)
    for (const network of ['b', 'c', 'd']) budget.spend('p', network, { ...cost, [kind]: 250 })
    expect(budget.waitMs('p', 'e')).toBeGreaterThan(0)
    expect(budget.waitMs('q', 'a')).toBe(0)
    clock.atMs += 1_000
    expect(budget.waitMs('p', 'e')).toBe(0)
  },
)

test('one body can exceed the budget; later bodies wait longer', () => {
  const { clock, budget } = budgetAt()
  budget.spend('p', 'a', { bytes: 0, threadMs: 2_000 })
  const waitMs = budget.waitMs('p', 'b')
  expect(waitMs).toBe(10_000)
  clock.atMs += waitMs + 1
  expect(budget.waitMs('p', 'b')).toBe(0)
  expect(budget.waitMs('p', 'a')).toBeGreaterThan(0)
})

test('a clock step back adds no budget', () => {
  const { clock, budget } = budgetAt()
  budget.spend('p', 'a', { bytes: 1_000, threadMs: 0 })
  clock.atMs -= 60_000
  expect(budget.waitMs('p', 'b')).toBeGreaterThan(0)
  expect(budget.waitMs('p', 'b')).toBeGreaterThan(0)
})
