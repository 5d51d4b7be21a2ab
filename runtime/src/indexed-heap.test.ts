import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { createIndexedHeap } from './indexed-heap.ts'

const Step = fc.record({
  act: fc.constantFrom('update' as const, 'delete' as const),
  item: fc.nat(30),
  value: fc.nat(20),
})

test('the first item is the smallest after any inserts, changes and deletes', () => {
  forAll([fc.array(Step, { maxLength: 300 })], (steps) => {
    const items = Array.from({ length: 31 }, () => ({ value: 0, at: -1 }))
    const heap = createIndexedHeap<{ value: number; at: number }>((a, b) => a.value < b.value)
    const present = new Set<{ value: number }>()
    for (const { act, item, value } of steps) {
      const chosen = items[item] ?? { value, at: -1 }
      if (act === 'update') {
        chosen.value = value
        heap.update(chosen)
        present.add(chosen)
      } else {
        heap.delete(chosen)
        present.delete(chosen)
      }
      const least = Math.min(...[...present].map((each) => each.value))
      expect(heap.first?.value ?? Infinity).toBe(least)
      expect(items.every((each) => (each.at === -1) === !present.has(each))).toBe(true)
    }
  })
})
