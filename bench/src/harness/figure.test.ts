import { expect, test } from 'vitest'
import { figureLine, tableOf } from './figure.ts'

test.each([
  [{ atMost: 100 }, 100, '<= 100', true],
  [{ atMost: 100 }, 100.1, '<= 100', false],
  [{ atLeast: 0.5 }, 0.5, '>= 0.5', true],
  [{ atLeast: 0.5 }, 0.4999, '>= 0.5', false],
])('an aim of %j is judged at %d', (aim, value, described, met) => {
  expect(figureLine('path', { figure: 'x', value, unit: 'ms', aim })).toMatchObject({
    aim: described,
    met,
  })
})

test('a figure without an aim is neither met nor short, and keeps its context', () => {
  const figure = { figure: 'x', value: 1 / 3, unit: 'ms', context: { runs: [2 / 3, 123_456.7] } }
  expect(figureLine('path', figure)).toEqual({
    bench: 'path',
    figure: 'x',
    value: 0.3333,
    unit: 'ms',
    runs: [0.6667, 123_500],
  })
})

test('of many runs their twentieths are recorded', () => {
  const line = figureLine('path', {
    figure: 'x',
    runs: Array.from({ length: 1_001 }, (_, n) => n),
    unit: 'ms',
  })
  expect(line).toMatchObject({ value: 500, runs: Array.from({ length: 21 }, (_, n) => n * 50) })
})

test('the table marks a missed aim', () => {
  const line = figureLine('path', { figure: 'x', value: 2, unit: 'ms', aim: { atMost: 1 } })
  expect(tableOf([line])).toBe('figure  value  unit  aim\nx           2  ms    <= 1  short')
})
