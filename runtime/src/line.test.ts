import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { createLine } from './line.ts'

const Step = fc.oneof(
  fc.constant('push' as const),
  fc.constant('first' as const),
  fc.constant('last' as const),
  fc.nat(200),
)

test('behaves like a plain list after any removals', () => {
  forAll([fc.array(Step, { maxLength: 400 })], (steps) => {
    const line = createLine<{ id: number }>()
    let list: { id: number }[] = []
    for (const [id, step] of steps.entries()) {
      if (step === 'push') {
        list.push({ id })
        line.push(list.at(-1) ?? { id })
      } else {
        const chosen = step === 'first' ? 0 : step === 'last' ? list.length - 1 : step
        const work = list[chosen] ?? { id: -1 }
        expect(line.delete(work)).toBe(list.includes(work))
        list = list.filter((each) => each !== work)
      }
      expect([line.size, line.first, line.last]).toEqual([list.length, list[0], list.at(-1)])
    }
  })
})

test('does not grow while works are removed from its middle', () => {
  const line = createLine<object>()
  line.push({})
  for (let work = 0; work < 100_000; work++) {
    const passing = {}
    line.push(passing)
    line.delete(passing)
  }
  const last = {}
  line.push(last)
  expect([line.size, line.last]).toEqual([2, last])
})
