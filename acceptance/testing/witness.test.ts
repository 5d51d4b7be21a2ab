import { expect, test } from 'vitest'
import { wrongFailures } from './witness.ts'

const failures = [
  { fromMs: 10, toMs: 20 },
  { fromMs: 40, toMs: 50 },
]
/** How late readings of a failure may arrive. */
const freshMs = 3
const chain = (...flips: [to: string, atMs: number][]) => flips.map(([to, atMs]) => ({ to, atMs }))

test.for([
  [
    'each failure seen, a degraded or stale between',
    chain(
      ['degraded', 11],
      ['down', 12],
      ['stale', 15],
      ['down', 16],
      ['degraded', 21],
      ['operational', 22],
      ['down', 45],
      ['operational', 51],
    ),
    [],
  ],
  [
    'a reading taken during a failure arrives late and is fresh',
    chain(
      ['down', 12],
      ['operational', 21],
      ['down', 23],
      ['operational', 24],
      ['down', 45],
      ['operational', 51],
    ),
    [],
  ],
  [
    'one failure missed',
    chain(['down', 12], ['operational', 22], ['operational', 51]),
    ['no flip to down in failure 1'],
  ],
  [
    'a recovery while it failed',
    chain(
      ['down', 12],
      ['operational', 14],
      ['down', 16],
      ['operational', 22],
      ['down', 45],
      ['operational', 51],
    ),
    ['a flip to operational within failure 0'],
  ],
  [
    'no recovery',
    chain(['down', 12], ['operational', 22], ['down', 45]),
    ['no flip to operational after failure 1'],
  ],
  [
    'down without a failure',
    chain(
      ['down', 12],
      ['operational', 22],
      ['down', 25],
      ['operational', 30],
      ['down', 45],
      ['operational', 51],
    ),
    ['a flip to down after failure 0'],
  ],
] as const)('%s', ([, flips, wrong]) => {
  expect(wrongFailures(flips, failures, freshMs)).toEqual(wrong)
})
