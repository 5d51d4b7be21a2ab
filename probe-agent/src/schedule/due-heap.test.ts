import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { createDueHeap } from './due-heap.ts'

describe('the heap of due entries', () => {
  test('returns entries like a sorted list, through any puts, moves and removals', () => {
    const command = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({ entry: fc.nat(40), due: fc.integer({ min: -5, max: 30 }) }),
      },
      { weight: 2, arbitrary: fc.record({ remove: fc.nat(45) }) },
      { weight: 2, arbitrary: fc.constant({ pop: true as const }) },
    )
    forAll([fc.array(command, { maxLength: 200 })], (commands) => {
      const heap = createDueHeap(2)
      const model = new Map<number, number>()
      for (const step of commands) {
        if ('entry' in step) {
          heap.set(step.entry, step.due)
          model.set(step.entry, step.due)
        } else if ('remove' in step) {
          heap.remove(step.remove)
          model.delete(step.remove)
        } else {
          const first = heap.first()
          heap.remove(first)
          model.delete(first)
        }
        const sorted = [...model].toSorted(([a, dueA], [b, dueB]) => dueA - dueB || a - b)
        expect(heap.size).toBe(model.size)
        expect(heap.first()).toBe(sorted[0]?.[0] ?? -1)
        const [first] = sorted
        if (first !== undefined) expect(heap.dueAt(first[0])).toBe(first[1])
      }
    })
  })

  test('drains a large set in order', () => {
    const heap = createDueHeap()
    const dues = Array.from({ length: 20_000 }, (_, entry) => (entry * 7_919) % 10_007)
    for (const [entry, due] of dues.entries()) heap.set(entry, due)
    const drained = []
    while (heap.size > 0) {
      const entry = heap.first()
      drained.push(heap.dueAt(entry))
      heap.remove(entry)
    }
    expect(drained).toEqual(dues.toSorted((a, b) => a - b))
  })
})
