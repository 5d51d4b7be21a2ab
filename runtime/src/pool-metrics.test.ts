import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createFairPool } from './fair-pool.ts'
import { createPoolMetrics, ownersNamedMax } from './pool-metrics.ts'

test('lists the largest accounts and sums up the others', async () => {
  const registry = new Registry()
  const pool = createFairPool({ places: 1_000, placesOfOwner: 10, waiting: 0, waitingOfOwner: 0 })
  createPoolMetrics(registry).watch('runs', pool)
  for (let account = 0; account < 50; account++) pool.takeNow(`small-${account}`)
  for (let work = 0; work < 11; work++) await pool.take('large')
  const text = await registry.metrics()
  expect(text).toContain('pool_taken{pool="runs"} 60')
  expect(text).toContain('pool_account_works{pool="runs",account="large"} 10')
  expect(text).toContain(`pool_account_works{pool="runs",account="other"} ${51 - ownersNamedMax}`)
  expect(text).toContain('pool_refused_total{pool="runs",reason="full"} 1')
  expect(text.match(/pool_account_works\{/g)).toHaveLength(ownersNamedMax + 1)
})

test('sums up pools with the same name', async () => {
  const registry = new Registry()
  for (let region = 0; region < 2; region++) {
    const pool = createFairPool({ places: 2, placesOfOwner: 1, waiting: 0, waitingOfOwner: 0 })
    createPoolMetrics(registry, 'agent_').watch('runs', pool)
    for (const account of ['a', 'b']) pool.takeNow(account)
    await pool.take('a')
  }
  const text = await registry.metrics()
  expect(text).toContain('agent_pool_taken{pool="runs"} 4')
  expect(text).toContain('agent_pool_account_works{pool="runs",account="a"} 2')
  expect(text).toContain('agent_pool_refused_total{pool="runs",reason="full"} 2')
  expect(text).not.toContain('"other"')
})

test('registers the metrics once per process', async () => {
  const registry = new Registry()
  const bounds = { places: 1, placesOfOwner: 1, waiting: 0, waitingOfOwner: 0 }
  const [runs, pages] = [createFairPool(bounds), createFairPool(bounds)]
  createPoolMetrics(registry).watch('runs', runs)
  createPoolMetrics(registry).watch('pages', pages)
  expect([...createPoolMetrics(registry).pools]).toEqual([
    ['runs', [runs]],
    ['pages', [pages]],
  ])
  createPoolMetrics(registry, 'other_').watch('runs', runs)
  expect(await registry.metrics()).toContain('pool_taken{pool="pages"} 0')
})
