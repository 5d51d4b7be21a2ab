import { CheckStatus, CheckType } from '@probe-mesh/contracts/check/check'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { newCheckState, newRegionState } from '../status/state.ts'
import { aCheckRecord } from './testing.ts'
import { describeCheck, describeCheckStatus } from './describe-check.ts'

const t0 = Date.parse('2026-11-20T12:00:00.000Z')
const regions = ['fra', 'nrt']

const region = fc.record({
  verdict: fc.constantFrom('up' as const, 'down' as const, 'blocked' as const, null),
  measuredAt: fc.integer({ min: t0 - 600_000, max: t0 }),
  failing: fc.boolean(),
})
const state = fc.record({
  status: fc.constantFrom(...CheckStatus.options),
  statusReason: fc.constantFrom(null, 'it failed'),
  statusSinceMs: fc.constantFrom(null, t0 - 60_000),
  regions: fc
    .tuple(region, region)
    .map((seen) =>
      Object.fromEntries(seen.map((one, n) => [regions[n] ?? '', { ...newRegionState, ...one }])),
    ),
})

test('no paused check has a status about its target, whatever was measured before', () => {
  forAll([state, fc.constantFrom(...CheckType.options)], (seen, type) => {
    const check = { ...aCheckRecord, type, paused: true, state: { ...newCheckState, ...seen } }
    const described = describeCheckStatus(check, t0)
    expect(['stale', 'unknown']).toContain(described.status)
    expect(describeCheck(check, t0).status).toBe(described.status)
    if (type === 'heartbeat') return
    expect(described).toMatchObject({ statusReason: 'paused: no region measures it', statusSince: null })
    expect(described).not.toHaveProperty('intermittent')
    // the evidence of before stays, with its time
    expect(described.regionStatuses.map((one) => one.region)).toEqual(regions)
  })
})
