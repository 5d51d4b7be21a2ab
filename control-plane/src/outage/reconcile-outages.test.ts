import { expect, test } from 'vitest'
import type { Outage } from './past-outages.ts'
import { reconcileOutages } from './reconcile-outages.ts'
import type { StandingNow } from './reconcile-outages.ts'
import { minuteMs, t0 } from './testing.ts'

const outage = (more: Partial<Outage> = {}): Outage => ({
  startMs: t0 - 10 * minuteMs,
  endMs: null,
  regions: ['fra', 'iad'],
  readings: 9,
  recoveringMs: null,
  unmeasuredMs: 0,
  ...more,
})
const well: StandingNow = { failures: [], wellIn: ['fra', 'iad'], goodAtMs: t0, failedAtMs: null }
const failure = (region: string, sinceMs: number) =>
  ({ region, sinceMs, sign: 'answered', mark: null }) as const
const fails = (sinceMs: number): StandingNow => ({
  failures: [failure('fra', sinceMs), failure('iad', sinceMs + 5)],
  wellIn: [],
  goodAtMs: null,
  failedAtMs: null,
})

test.each<[string, Outage[], StandingNow, Outage[]]>([
  [
    'a service that is well everywhere has no outage that goes on: it ended with the first good reading',
    [outage({ recoveringMs: t0 - 5_000 })],
    well,
    [outage({ endMs: t0 - 5_000 })],
  ],
  ['or with the newest, where that is all that is known', [outage()], well, [outage({ endMs: t0 })]],
  [
    'one of a region that is not read now is left',
    [outage({ regions: ['fra', 'nrt'] })],
    well,
    [outage({ regions: ['fra', 'nrt'] })],
  ],
  [
    'a service that fails has an outage, though its readings are not stored yet',
    [],
    fails(t0 - 2_000),
    [outage({ startMs: t0 - 2_000, readings: 2 })],
  ],
  [
    'which is not the one before it',
    [outage({ endMs: t0 - minuteMs })],
    fails(t0 - 2_000),
    [outage({ startMs: t0 - 2_000, readings: 2 }), outage({ endMs: t0 - minuteMs })],
  ],
  [
    'and is the one that ended for want of readings',
    [outage({ endMs: t0 - minuteMs })],
    fails(t0 - 10 * minuteMs),
    [outage()],
  ],
  ['what goes on goes on', [outage()], fails(t0 - 9 * minuteMs), [outage()]],
  [
    'of what is not measured nothing is said',
    [outage()],
    { failures: [], wellIn: [], goodAtMs: null, failedAtMs: null },
    [outage()],
  ],
])('%s', (_, outages, standing, expected) => {
  expect(reconcileOutages(outages, standing)).toEqual(expected)
})
