import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { fisherExactChance, median, percentile, spread } from './statistics.ts'

test.each([
  [[3], 3],
  [[3, 1], 2],
  [[10, 9, 100], 10],
  [[4, 1, 3, 2], 2.5],
])('the median of %j is %d', (values, expected) => {
  expect(median(values)).toBe(expected)
})

test('the spread of normal values is their standard deviation, and outliers do not change it', () => {
  const values = [-2, -1, -0.6745, -0.2, 0, 0.2, 0.6745, 1, 2]
  expect(spread(values)).toBeCloseTo(1, 1)
  expect(spread([...values.slice(0, -1), 1e9])).toBeCloseTo(1, 1)
})

test.each([
  [0.01, 1],
  [0.5, 50],
  [0.95, 95],
  [0.951, 96],
  [1, 100],
])('percentile %d of 1 to 100 is %d', (share, expected) => {
  expect(
    percentile(
      Array.from({ length: 100 }, (_, n) => n + 1),
      share,
    ),
  ).toBe(expected)
})

describe("Fisher's exact test", () => {
  test.each([
    // Fisher's lady tasting tea: 8 cups, 4 with milk first, 4 chosen, all 4 correct or at least 3
    [{ population: 8, marked: 4, drawn: 4, hits: 4 }, 1 / 70],
    [{ population: 8, marked: 4, drawn: 4, hits: 3 }, 17 / 70],
    [{ population: 10, marked: 10, drawn: 4, hits: 4 }, 1],
    [{ population: 10, marked: 3, drawn: 4, hits: 4 }, 0],
    [{ population: 10, marked: 3, drawn: 4, hits: 0 }, 1],
  ])('%j is %d', (draw, expected) => {
    expect(fisherExactChance(draw)).toBeCloseTo(expected, 12)
  })

  test('matches a brute-force count', () => {
    forAll(
      [fc.integer({ min: 1, max: 9 }), fc.nat(9), fc.nat(9), fc.nat(9)],
      { numRuns: 200 },
      (population, a, b, hits) => {
        const [marked, drawn] = [Math.min(a, population), Math.min(b, population)]
        const bits = (n: number): number => n.toString(2).replaceAll('0', '').length
        const draws = Array.from({ length: 2 ** population }, (_, n) => n).filter((n) => bits(n) === drawn)
        const matching = draws.filter((n) => bits(n & (2 ** marked - 1)) >= hits)
        const chance = fisherExactChance({ population, marked, drawn, hits })
        expect(chance).toBeCloseTo(matching.length / draws.length, 10)
      },
    )
  })
})
