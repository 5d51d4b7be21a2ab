import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { editDistance, lettersApart, letterSet } from './edit-distance.ts'

test.each([
  ['', '', 0],
  ['github', 'github', 0],
  ['github', 'gihtub', 1],
  ['github', 'githubb', 1],
  ['github', 'gthub', 1],
  ['github', 'gitlub', 1],
  ['github', 'igtuhb', 2],
  ['github', 'gitlab', 2],
  ['ca', 'abc', 3],
  ['', 'abc', 3],
])('the distance from %j to %j is %d', (left, right, distance) => {
  expect(editDistance(left, right, 9)).toBe(distance)
  expect(editDistance(right, left, 9)).toBe(distance)
})

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 8 })

/** The recursive definition, without a limit. */
const distanceOf = (left: string, right: string): number => {
  if (left === '' || right === '') return left.length + right.length
  const [a, b] = [left.slice(1), right.slice(1)]
  const isSwapped = left.length > 1 && left[0] === right[1] && left[1] === right[0]
  return Math.min(
    distanceOf(a, right) + 1,
    distanceOf(left, b) + 1,
    distanceOf(a, b) + (left[0] === right[0] ? 0 : 1),
    isSwapped ? distanceOf(left.slice(2), right.slice(2)) + 1 : Infinity,
  )
}

test('the distance is exact up to the maximum, and the maximum plus one above it', () => {
  const short = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 5 })
  forAll([short, short, fc.nat(5)], { numRuns: 500 }, (left, right, max) => {
    expect(editDistance(left, right, max)).toBe(Math.min(distanceOf(left, right), max + 1))
  })
})

test('the letter sets of two texts differ in at most twice their distance', () => {
  forAll([text, text], (left, right) => {
    const apart = lettersApart(letterSet(left), letterSet(right))
    expect(apart).toBeLessThanOrEqual(2 * editDistance(left, right, 9))
  })
})
