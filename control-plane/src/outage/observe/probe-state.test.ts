import type { Reading, Verdict } from '@probe-mesh/contracts/reading/reading'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readingAt } from '../../status/testing.ts'
import { failureTimesMax, failingSinceMs, addReading } from './probe-state.ts'
import type { ProbeState } from './probe-state.ts'

const held = (...readings: readonly Reading[]): ProbeState | null =>
  readings.reduce<ProbeState | null>(addReading, null)
const at = (measuredAt: number, verdict: Verdict, more: Partial<Reading> = {}): Reading => ({
  ...readingAt('fra', verdict, measuredAt),
  ...more,
})
const http = (cdn: string | null, ...nameServers: string[]): Partial<Reading> => ({
  details: { type: 'http', cdn, nameServers },
})

describe('the newest reading', () => {
  test.each<[string, Reading[], Verdict, number]>([
    ['the last one measured counts', [at(1, 'up'), at(2, 'down')], 'down', 2],
    ['not the last one that came', [at(2, 'down'), at(1, 'up')], 'down', 2],
    ['what measured nothing does not', [at(1, 'up'), at(2, 'unmeasured')], 'up', 1],
    ['a refusal does', [at(1, 'down'), at(2, 'blocked')], 'blocked', 2],
    [
      'a confirmation and a manual one as well',
      [at(1, 'up'), at(3, 'up', { kind: 'manual' }), at(2, 'down', { kind: 'confirmation' })],
      'up',
      3,
    ],
  ])('%s', (_, readings, verdict, measuredAt) => {
    expect(held(...readings)?.newest).toMatchObject({ verdict, measuredAt })
  })

  test('nothing is held where nothing was measured', () => {
    expect(held(at(1, 'unmeasured'))).toBeNull()
  })
})

describe('since when it fails', () => {
  test.each<[string, Reading[], number | null]>([
    ['from the first failure after a good one', [at(1, 'up'), at(2, 'down'), at(3, 'down')], 2],
    ['one good reading begins it anew', [at(1, 'down'), at(2, 'up'), at(3, 'down')], 3],
    ['a refusal does not', [at(1, 'down'), at(2, 'blocked'), at(3, 'down')], 1],
    ['and what measured nothing does not', [at(1, 'down'), at(2, 'unmeasured'), at(3, 'down')], 1],
    ['what is good does not fail', [at(1, 'down'), at(2, 'up')], null],
    ['nor what was refused', [at(1, 'down'), at(2, 'blocked')], null],
    ['a good one that came late counts', [at(1, 'down'), at(3, 'down'), at(2, 'up')], 3],
    ['a failing one that came late does', [at(0, 'up'), at(3, 'down'), at(1, 'down')], 1],
  ])('%s', (_, readings, since) => {
    const probe = held(...readings)
    expect(probe && failingSinceMs(probe)).toBe(since)
  })

  test('the beginning of a long failure is kept, and little else of it', () => {
    const probe = held(...Array.from({ length: 5_000 }, (_, k) => at(k, 'down')))
    expect(probe && failingSinceMs(probe)).toBe(0)
    expect(probe?.failureTimes).toHaveLength(failureTimesMax)
  })
})

describe('the pace', () => {
  test('is of the last three good readings that took a time, newest first', () => {
    const readings = [5, 1, 4, 2, 3].map((t) => at(t, 'up', { latencyMs: t * 10 }))
    const probe = held(...readings, at(6, 'down'), at(7, 'up', { latencyMs: null }))
    expect(probe?.latencies.map(({ latencyMs }) => latencyMs)).toEqual([50, 40, 30])
  })
})

describe('what was noted', () => {
  test.each<[string, Reading[], string | null | undefined]>([
    ['the last CDN named', [at(1, 'up', http('fastly')), at(2, 'up', http('bunny'))], 'bunny'],
    ['also by a failing answer', [at(1, 'up'), at(2, 'down', http('bunny'))], 'bunny'],
    ['not none for want of an answer', [at(1, 'up', http('bunny')), at(2, 'down', http(null))], 'bunny'],
    ['none where a good answer names none', [at(1, 'up', http('bunny')), at(2, 'up', http(null))], null],
    ['nothing without details', [at(1, 'up')], undefined],
  ])('%s', (_, readings, cdn) => {
    expect(held(...readings)?.cdn?.value).toBe(cdn)
  })

  test('name servers that were not learnt leave those that were', () => {
    const probe = held(at(1, 'up', http(null, 'a.example', 'b.example')), at(2, 'up', http(null)))
    expect(probe?.nameServers).toEqual({ at: 1, value: ['a.example', 'b.example'] })
  })
})

const anyReading = fc
  .record({
    measuredAt: fc.integer({ min: 0, max: 20 }),
    verdict: fc.constantFrom<Verdict[]>('up', 'down', 'blocked', 'unmeasured'),
    latencyMs: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
    reason: fc.constantFrom(null, 'a', 'b'),
    details: fc.option(
      fc.record({
        type: fc.constant('http' as const),
        cdn: fc.constantFrom(null, 'bunny', 'fastly'),
        nameServers: fc.subarray(['a.example', 'b.example']),
      }),
      { nil: null },
    ),
  })
  .map(({ measuredAt, verdict, ...more }) => at(measuredAt, verdict, more))
/** With no more failures than those whose order may be any. */
const anyReadings = fc
  .array(anyReading, { maxLength: 16 })
  .filter((all) => all.filter(({ verdict }) => verdict === 'down').length <= failureTimesMax)
const shuffled = anyReadings.chain((readings) =>
  fc.tuple(fc.constant(readings), fc.shuffledSubarray(readings, { minLength: readings.length })),
)

test('the order of arrival never matters', () => {
  fc.assert(
    fc.property(shuffled, ([some, same]) => {
      expect(held(...same)).toEqual(held(...some))
    }),
  )
})

test('a twin changes nothing', () => {
  fc.assert(
    fc.property(anyReadings, (readings) => {
      const probe = held(...readings)
      for (const twin of readings) expect(addReading(probe, twin)).toBe(probe)
    }),
  )
})

test('what comes late never replaces the newest reading', () => {
  fc.assert(
    fc.property(anyReadings, anyReading, (readings, late) => {
      const probe = held(...readings)
      fc.pre(probe !== null && late.measuredAt < probe.newest.measuredAt)
      expect(addReading(probe, late)?.newest).toBe(probe?.newest)
    }),
  )
})

test('it fails since the first failure after the last good reading, by the whole record', () => {
  fc.assert(
    fc.property(anyReadings, (readings) => {
      const probe = held(...readings)
      fc.pre(probe !== null)
      const goodAt = Math.max(-1, ...timesOf(readings, 'up'))
      const failures = timesOf(readings, 'down').filter((t) => t > goodAt)
      const expected = probe?.newest.verdict === 'down' ? Math.min(...failures) : null
      fc.pre(expected === null || failures.length > 0)
      expect(probe && failingSinceMs(probe)).toBe(expected)
    }),
  )
})

const timesOf = (readings: readonly Reading[], verdict: Verdict): number[] =>
  readings.filter((one) => one.verdict === verdict).map(({ measuredAt }) => measuredAt)
