import fc from 'fast-check'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { findAccepted } from './find-accepted.ts'

test('returns exactly the items that are not rejected, in order', async () => {
  await forAllAsync([fc.array(fc.boolean(), { maxLength: 40 })], async (bad) => {
    const items = bad.map((isBad, at) => ({ at, isBad }))
    const calls: number[] = []
    const accepted = await findAccepted(items, async (some) => {
      calls.push(some.length)
      return some.every(({ isBad }) => !isBad)
    })
    expect([...accepted]).toEqual(items.filter(({ isBad }) => !isBad))
    // one bad item among n needs about 2 log n calls
    const depth = Math.ceil(Math.log2(Math.max(2, items.length))) + 1
    const badCount = items.filter(({ isBad }) => isBad).length
    expect(calls.length).toBeLessThanOrEqual(1 + 2 * badCount * depth)
  })
})

test('drops the later of two items that are rejected only together', async () => {
  const sizes = [3, 4, 5, 1]
  const accepted = await findAccepted(
    sizes.map((size) => ({ size })),
    async (some) => some.reduce((sum, { size }) => sum + size, 0) <= 8,
  )
  expect([...accepted].map(({ size }) => size)).toEqual([3, 4, 1])
})
