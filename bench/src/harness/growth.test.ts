import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { figureLine } from './figure.ts'
import { growthExponent, growthFigure } from './growth.ts'

test('finds the exponent of a power law', () => {
  const positive = fc.double({ min: 0.01, max: 100, noNaN: true })
  forAll([positive, fc.double({ min: -2, max: 3, noNaN: true })], (factor, exponent) => {
    const steps = [1, 10, 100].map((work) => ({ work, cost: factor * work ** exponent }))
    expect(growthExponent(steps)).toBeCloseTo(exponent, 6)
  })
})

test('one amount of work has no exponent', () => {
  expect(growthExponent([{ work: 1, cost: 1 }])).toBeNaN()
})

test.each([
  [[1, 10, 100], true],
  [[1, 12.58, 158.4], true],
  [[1, 13, 170], false],
])('costs of %j for 1, 10 and 100 times the work: met is %s', (costs, met) => {
  const steps = costs.map((cost, at) => ({ work: 10 ** at, cost }))
  const figure = growthFigure({ figure: 'x', of: 'an x', in: 'checks', unit: 'ms', steps })
  expect(figureLine('b', figure)).toMatchObject({ figure: 'x_growth', met, work: [1, 10, 100] })
})
