import { expect, test } from 'vitest'
import type { Outage } from './past-outages.ts'
import { reconcileOutages, type CurrentHealth } from './reconcile-outages.ts'
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
const up: CurrentHealth = { failures: [], upIn: ['fra', 'iad'], goodAtMs: t0, failedAtMs: null }
const failure = (region: string, sinceMs: number) =>
  ({ region, sinceMs, mode: 'wrong_answer', mark: null }) as const
const failing = (sinceMs: number): CurrentHealth => ({
  failures: [failure('fra', sinceMs), failure('iad', sinceMs + 5)],
  upIn: [],
  goodAtMs: null,
  failedAtMs: null,
})

test.each<[string, Outage[], CurrentHealth, Outage[]]>([
  [
    'ends an ongoing outage at the first good reading if the service is up in all its regions',
    [outage({ recoveringMs: t0 - 5_000 })],
    up,
    [outage({ endMs: t0 - 5_000 })],
  ],
  [
    'ends an ongoing outage at the newest good reading if the first one is unknown',
    [outage()],
    up,
    [outage({ endMs: t0 })],
  ],
  [
    'keeps an ongoing outage if one of its regions is not read now',
    [outage({ regions: ['fra', 'nrt'] })],
    up,
    [outage({ regions: ['fra', 'nrt'] })],
  ],
  [
    'adds an outage for a failing service before its readings are stored',
    [],
    failing(t0 - 2_000),
    [outage({ startMs: t0 - 2_000, readings: 2 })],
  ],
  [
    'adds a new outage if the last one ended before the failure began',
    [outage({ endMs: t0 - minuteMs })],
    failing(t0 - 2_000),
    [outage({ startMs: t0 - 2_000, readings: 2 }), outage({ endMs: t0 - minuteMs })],
  ],
  [
    'continues the last outage if it ended after the failure began, for lack of readings',
    [outage({ endMs: t0 - minuteMs })],
    failing(t0 - 10 * minuteMs),
    [outage()],
  ],
  ['keeps an ongoing outage of a failing service', [outage()], failing(t0 - 9 * minuteMs), [outage()]],
  [
    'changes nothing for a service that is not measured',
    [outage()],
    { failures: [], upIn: [], goodAtMs: null, failedAtMs: null },
    [outage()],
  ],
])('reconciling past outages %s', (_, outages, health, expected) => {
  expect(reconcileOutages(outages, health)).toEqual(expected)
})
