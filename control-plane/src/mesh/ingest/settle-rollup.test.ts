import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { rollupKeyOf } from './rollups-query.ts'
import { checkId, readingAt } from '../../status/testing.ts'
import { readingsByKey, rollupRepair } from './settle-rollup.ts'

const t0 = Date.UTC(2026, 0, 1, 12)
const verdicts = ['up', 'down', 'blocked', 'unmeasured'] as const
const none = { up: 0, down: 0, blocked: 0, unmeasured: 0 }
const readings = [
  readingAt('fra', 'up', t0),
  readingAt('fra', 'down', t0 + 30_000),
  readingAt('fra', 'up', t0 + 60_000),
]
const [first, second, third] = readings
const key = { checkId, region: 'fra', at: t0 / 1_000 } as const

test.each([
  ['lacks exactly the batch', { ...none, up: 1, down: 1 }, true],
  ['lacks a part of the batch', { ...none, up: 1 }, false],
  ['lacks more than the batch', { ...none, up: 2, down: 1 }, false],
  ['lacks as many of another verdict', { ...none, up: 2 }, false],
  ['has the batch twice', { ...none, up: -1, down: -1 }, false],
  ['has one too many', { ...none, blocked: -1 }, false],
])('a key that %s is counted in only when nothing else is wrong', (_, difference, isUncounted) => {
  const repair = rollupRepair(readingsByKey('readings_minute', readings), [{ ...key, ...difference }])
  expect(repair).toEqual(
    isUncounted
      ? { uncounted: [first, second], wrong: [] }
      : { uncounted: [], wrong: [{ ...key, ...difference }] },
  )
})

test('readings of one hour count under one key, of two minutes under two, of two regions under two', () => {
  const iad = readingAt('iad', 'up', t0)
  const all = [...readings, iad]
  expect([...readingsByKey('readings_hour', all).values()].map((one) => one.readings)).toEqual([
    readings,
    [iad],
  ])
  expect([...readingsByKey('readings_minute', all).values()].map((one) => one.readings)).toEqual([
    [first, second],
    [third],
    [iad],
  ])
})

test('adds the readings that whole keys lack, for any keys', () => {
  const slots = fc.array(fc.tuple(fc.nat({ max: 600 }), fc.constantFrom<Verdict>(...verdicts)))
  forAll([slots, fc.nat({ max: 10 })], (chosen, lackedMinute) => {
    const batch = chosen.map(([second, verdict]) => readingAt('fra', verdict, t0 + second * 1_000))
    const lacked = batch.filter(
      (reading) => rollupKeyOf('readings_minute', reading).at === key.at + lackedMinute * 60,
    )
    const counts = { ...none }
    for (const { verdict } of lacked) counts[verdict] += 1
    const differences = lacked.length === 0 ? [] : [{ ...key, at: key.at + lackedMinute * 60, ...counts }]
    const repair = rollupRepair(readingsByKey('readings_minute', batch), differences)
    expect(repair).toEqual({ uncounted: lacked, wrong: [] })
  })
})
