import { partitions } from '@probe-mesh/contracts/mesh/subjects'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { fairShare, acquisitionOrder } from './lease-manager.ts'

const holders = fc.integer({ min: 1, max: 40 })

test('shares cover every partition, and no holder needs more than one above an equal share', () => {
  forAll([holders], (count) => {
    const share = fairShare(partitions.length, count)
    expect(share * count).toBeGreaterThanOrEqual(partitions.length)
    expect(share).toBeLessThan(partitions.length / count + 1)
  })
})

test('holders that start together try different partitions first, and each tries all', () => {
  forAll([fc.integer({ min: 1, max: partitions.length })], (count) => {
    const share = fairShare(partitions.length, count)
    const orders = Array.from({ length: count }, (_, rank) => acquisitionOrder(partitions, rank, count))
    for (const order of orders) expect(order.toSorted((a, b) => a - b)).toEqual([...partitions])
    const first = new Set(orders.flatMap((order) => order.slice(0, share)))
    expect(first.size).toBe(partitions.length)
  })
})
