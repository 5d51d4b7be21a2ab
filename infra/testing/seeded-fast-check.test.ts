import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSearch } from './case-seed.ts'

const cases = (numRuns?: number, seed?: number): number[] => {
  const drawn: number[] = []
  fc.assert(
    fc.property(fc.integer(), (n) => void drawn.push(n)),
    { ...(numRuns !== undefined && { numRuns }), ...(seed !== undefined && { seed }) },
  )
  return drawn
}

test('properties and samples draw the same cases each time', () => {
  expect(cases()).toEqual(cases())
  expect(fc.sample(fc.integer(), 5)).toEqual(fc.sample(fc.integer(), 5))
})

test('a property tries at most 100 cases, except in a search or with a seed of its own', () => {
  expect(cases(150)).toHaveLength(isSearch ? 150 : 100)
  expect(cases(20)).toHaveLength(20)
  expect(cases(150, 7)).toHaveLength(150)
})
