import { describe, expect, test } from 'vitest'
import { byFifths, createRandom, median, percentile } from './statistics.ts'

test.each([
  [[3], 3],
  [[3, 1], 2],
  [[9, 1, 5], 5],
  [[4, 1, 3, 2], 2.5],
])('the median of %j is %d', (values, expected) => {
  expect(median(values)).toBe(expected)
})

describe('a percentile', () => {
  const hundred = Array.from({ length: 100 }, (_, n) => 100 - n)
  test.each([
    [0.01, 1],
    [0.5, 50],
    [0.99, 99],
    [0.991, 100],
    [1, 100],
  ])('of 1 to 100 at %d is %d', (share, expected) => {
    expect(percentile(hundred, share)).toBe(expected)
  })

  test('sorts numerically and does not change its input', () => {
    const values = [10, 9, 100]
    expect(percentile(values, 0.5)).toBe(10)
    expect(values).toEqual([10, 9, 100])
  })
})

test('every value of a series is in exactly one of its fifths, in order', () => {
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0)
  expect(byFifths([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], sum)).toEqual([3, 7, 11, 15, 19])
  expect(byFifths([1, 2, 3, 4, 5, 6, 7], sum)).toEqual([1, 2, 7, 5, 13])
  expect(byFifths([1, 1, 1], sum).length).toBe(5)
})

test('a seed gives the same evenly spread numbers every time', () => {
  const [one, other] = [createRandom(7), createRandom(7)]
  const values = Array.from({ length: 1_000 }, one)
  expect(Array.from({ length: 1_000 }, other)).toEqual(values)
  expect(values.every((value) => value >= 0 && value < 1)).toBe(true)
  expect(median(values)).toBeCloseTo(0.5, 1)
})
