import type { Reading, Verdict } from '@probe-mesh/contracts/reading/reading'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { readingAt } from '../../status/testing.ts'
import { failureTimesMax, failingSinceMs, addReading, type ProbeState } from './probe-state.ts'

const stateOf = (...readings: readonly Reading[]): ProbeState | null =>
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
    ['is the one measured last', [at(1, 'up'), at(2, 'down')], 'down', 2],
    ['is not the one that arrived last', [at(2, 'down'), at(1, 'up')], 'down', 2],
    ['ignores readings without a measurement', [at(1, 'up'), at(2, 'unmeasured')], 'up', 1],
    ['may be a refused reading', [at(1, 'down'), at(2, 'blocked')], 'blocked', 2],
    [
      'may be a confirmation or a manual reading',
      [at(1, 'up'), at(3, 'up', { kind: 'manual' }), at(2, 'down', { kind: 'confirmation' })],
      'up',
      3,
    ],
  ])('%s', (_, readings, verdict, measuredAt) => {
    expect(stateOf(...readings)?.newest).toMatchObject({ verdict, measuredAt })
  })

  test('does not exist without a measurement', () => {
    expect(stateOf(at(1, 'unmeasured'))).toBeNull()
  })
})

test('a failure without an answer is marked, unless the agent proved it', () => {
  const cause = 'certificate_expired'
  expect(stateOf(at(1, 'down', { cause }))?.newest.unanswered).toBe(true)
  expect(stateOf(at(1, 'down', { cause, proven: true }))?.newest).not.toHaveProperty('unanswered')
})

describe('the start of a failure', () => {
  test.each<[string, Reading[], number | null]>([
    ['is the first failure after an up reading', [at(1, 'up'), at(2, 'down'), at(3, 'down')], 2],
    ['is reset by an up reading', [at(1, 'down'), at(2, 'up'), at(3, 'down')], 3],
    ['is not reset by a refused reading', [at(1, 'down'), at(2, 'blocked'), at(3, 'down')], 1],
    [
      'is not reset by a reading without a measurement',
      [at(1, 'down'), at(2, 'unmeasured'), at(3, 'down')],
      1,
    ],
    ['is null if the newest reading is up', [at(1, 'down'), at(2, 'up')], null],
    ['is null if the newest reading is refused', [at(1, 'down'), at(2, 'blocked')], null],
    ['is corrected by a late up reading', [at(1, 'down'), at(3, 'down'), at(2, 'up')], 3],
    ['is corrected by a late failing reading', [at(0, 'up'), at(3, 'down'), at(1, 'down')], 1],
  ])('%s', (_, readings, since) => {
    const probe = stateOf(...readings)
    expect(probe && failingSinceMs(probe)).toBe(since)
  })

  test('is kept for a long failure in limited memory', () => {
    const probe = stateOf(...Array.from({ length: 5_000 }, (_, k) => at(k, 'down')))
    expect(probe && failingSinceMs(probe)).toBe(0)
    expect(probe?.failureTimes).toHaveLength(failureTimesMax)
  })
})

describe('the latencies', () => {
  test('are those of the last three up readings that have one, newest first', () => {
    const readings = [5, 1, 4, 2, 3].map((t) => at(t, 'up', { latencyMs: t * 10 }))
    const probe = stateOf(...readings, at(6, 'down'), at(7, 'up', { latencyMs: null }))
    expect(probe?.latencies.map(({ latencyMs }) => latencyMs)).toEqual([50, 40, 30])
  })
})

describe('the CDN of a probe', () => {
  test.each<[string, Reading[], string | null | undefined]>([
    ['is the last one named', [at(1, 'up', http('fastly')), at(2, 'up', http('bunny'))], 'bunny'],
    ['may come from a failing answer', [at(1, 'up'), at(2, 'down', http('bunny'))], 'bunny'],
    [
      'is kept if a failing reading names none',
      [at(1, 'up', http('bunny')), at(2, 'down', http(null))],
      'bunny',
    ],
    ['is null if an up reading names none', [at(1, 'up', http('bunny')), at(2, 'up', http(null))], null],
    ['is undefined without details', [at(1, 'up')], undefined],
  ])('%s', (_, readings, cdn) => {
    expect(stateOf(...readings)?.cdn?.value).toBe(cdn)
  })

  test('is independent of the name servers, which are kept if a reading has none', () => {
    const probe = stateOf(at(1, 'up', http(null, 'a.example', 'b.example')), at(2, 'up', http(null)))
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
/** Readings with at most as many failures as may arrive in any order. */
const anyReadings = fc
  .array(anyReading, { maxLength: 16 })
  .filter((all) => all.filter(({ verdict }) => verdict === 'down').length <= failureTimesMax)
const shuffled = anyReadings.chain((readings) =>
  fc.tuple(fc.constant(readings), fc.shuffledSubarray(readings, { minLength: readings.length })),
)

test('the order of arrival does not change the state of a probe', () => {
  forAll([shuffled], ([some, same]) => {
    expect(stateOf(...same)).toEqual(stateOf(...some))
  })
})

test('a duplicate reading does not change the state of a probe', () => {
  forAll([anyReadings], (readings) => {
    const probe = stateOf(...readings)
    for (const duplicate of readings) expect(addReading(probe, duplicate)).toBe(probe)
  })
})

test('a late reading does not replace the newest one', () => {
  forAll([anyReadings, anyReading], (readings, late) => {
    const probe = stateOf(...readings)
    fc.pre(probe !== null && late.measuredAt < probe.newest.measuredAt)
    expect(addReading(probe, late)?.newest).toBe(probe?.newest)
  })
})

test('a failure starts at the first failing reading after the last up one, for any readings', () => {
  forAll([anyReadings], (readings) => {
    const probe = stateOf(...readings)
    fc.pre(probe !== null)
    const goodAt = Math.max(-1, ...timesOf(readings, 'up'))
    const failures = timesOf(readings, 'down').filter((t) => t > goodAt)
    const expected = probe?.newest.verdict === 'down' ? Math.min(...failures) : null
    fc.pre(expected === null || failures.length > 0)
    expect(probe && failingSinceMs(probe)).toBe(expected)
  })
})

const timesOf = (readings: readonly Reading[], verdict: Verdict): number[] =>
  readings.filter((one) => one.verdict === verdict).map(({ measuredAt }) => measuredAt)
