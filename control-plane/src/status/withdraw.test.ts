import { describe, expect, test } from 'vitest'
import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import { staleAfterMs } from './freshness.ts'
import { observeReading, observeTime } from './observe.ts'
import { newCheckState, type CheckState } from './state.ts'
import { describeStatus } from './status.ts'
import { answerAt, readingAt } from './testing.ts'
import { asUnmeasured, quarantinedReason, withdrawVote } from './withdraw.ts'

const regions = ['iad', 'sjc', 'fra', 'nrt']
const t0 = 1_700_000_000_000

/** A check after these readings, one per second. */
const after = (
  schedule: { regions: readonly string[]; intervalSeconds: number },
  ...readings: [string, Verdict][]
): CheckState =>
  readings.reduce((state, [region, verdict], index) => {
    const reading = answerAt(region, verdict, t0 + index * 1_000)
    return observeReading(state, schedule, reading, reading.measuredAt).state
  }, newCheckState)

describe('the vote of a quarantined region', () => {
  const schedule = { regions, intervalSeconds: 60 }
  const allUp = regions.map((region): [string, Verdict] => [region, 'up'])
  const degraded = after(schedule, ...allUp, ['fra', 'down'])
  const nowMs = t0 + 5_000

  test('is withdrawn at once without changing a status', () => {
    const state = withdrawVote(degraded, 'fra', nowMs)
    expect({ ...state, regions: {} }).toEqual({ ...degraded, regions: {} })
    const said = describeStatus(state, schedule, nowMs)
    expect(said).toMatchObject({
      status: 'degraded',
      statusReason: 'a region failed and has not been seen well since',
    })
    expect(said.regionStatuses.find(({ region }) => region === 'fra')).toMatchObject({
      status: 'stale',
      fresh: false,
      reason: `not measured: ${quarantinedReason}`,
    })
  })

  test('allows a good reading of another region to close what it opened', () => {
    const state = withdrawVote(degraded, 'fra', nowMs)
    const reading = readingAt('iad', 'up', nowMs)
    expect(observeReading(degraded, schedule, reading, nowMs).state.status).toBe('degraded')
    expect(observeReading(state, schedule, reading, nowMs).state.status).toBe('operational')
  })

  test('still counts for good readings until they expire', () => {
    expect(withdrawVote(degraded, 'iad', nowMs)).toBe(degraded)
    expect(withdrawVote(degraded, 'lhr', nowMs)).toBe(degraded)
  })

  test('is withdrawn also while it has not recovered', () => {
    const recovering = after(schedule, ...allUp, ['fra', 'down'], ['fra', 'up'])
    const state = withdrawVote(recovering, 'fra', nowMs + 1_000)
    expect(state.regions['fra']).toMatchObject({ failing: false, goods: 0 })
    expect(withdrawVote(state, 'fra', nowMs + 2_000)).toBe(state)
  })

  test('is not regained by new readings, and no other region gets a request', () => {
    const reading = asUnmeasured(readingAt('fra', 'down', nowMs))
    const { state, changes, confirm } = observeReading(after(schedule, ...allUp), schedule, reading, nowMs)
    expect({ status: state.status, changes, confirm }).toEqual({
      status: 'operational',
      changes: [],
      confirm: [],
    })
  })

  test('counts again with the next reading after its return, as a first failure if it fails', () => {
    const state = withdrawVote(degraded, 'fra', nowMs)
    const up = observeReading(state, schedule, readingAt('fra', 'up', nowMs + 1), nowMs + 1)
    expect(up.state.status).toBe('operational')
    const down = observeReading(state, schedule, readingAt('fra', 'down', nowMs + 1), nowMs + 1)
    expect(down.state.status).toBe('degraded')
    expect(down.confirm).toEqual(regions)
  })
})

describe('a check that only the quarantined region measures', () => {
  const schedule = { regions: ['fra'], intervalSeconds: 60 }
  const down = after(schedule, ['fra', 'up'], ['fra', 'down'])
  const nowMs = t0 + 5_000

  test('is stale from then on, neither down nor operational', () => {
    expect(down.status).toBe('down')
    const reason = `not measured: ${quarantinedReason}; 1 of 1 regions could not vote (fra: quarantined), 1 of them saw it fail: down for the test`
    const state = withdrawVote(down, 'fra', nowMs)
    expect(describeStatus(state, schedule, nowMs)).toMatchObject({
      status: 'stale',
      statusReason: reason,
      statusSince: new Date(nowMs - 1).toISOString(),
    })
    expect(observeTime(state, schedule, nowMs).changes).toEqual([
      {
        from: 'down',
        to: 'stale',
        reason,
        atMs: nowMs - 1,
        unconfirmed: true,
      },
    ])
  })

  test('stays operational until its good readings expire', () => {
    const up = after(schedule, ['fra', 'up'])
    const state = withdrawVote(up, 'fra', nowMs)
    expect(observeTime(state, schedule, t0 + staleAfterMs(60)).changes).toEqual([])
    expect(observeTime(state, schedule, t0 + staleAfterMs(60) + 1).changes).toHaveLength(1)
  })
})

test('a state without a withdrawal field has its vote', () => {
  const schedule = { regions: ['fra'], intervalSeconds: 60 }
  const state = after(schedule, ['fra', 'down'])
  const { withdrawnAt: _, ...fra } = state.regions['fra'] ?? {}
  const old = { ...state, regions: { fra } } as CheckState
  expect(describeStatus(old, schedule, t0 + 1)).toEqual(describeStatus(state, schedule, t0 + 1))
  expect(withdrawVote(old, 'fra', t0 + 1).regions['fra']).toMatchObject({ withdrawnAt: t0 + 1 })
})
