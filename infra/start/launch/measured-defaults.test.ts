import { expect, test } from 'vitest'
import { checkMeasurements, inventedMeasurements } from './measured-defaults.ts'

test.each([
  'const isSlow = (latencyMs ?? 0) > slowMs',
  'const worst = Math.max(...rows.map((row) => row.p95Ms ?? 0))',
  'const shown = check.uptime.month ?? 100',
  'const left = state.budgetRatio ?? 1',
  'const own = shares.get(id) ?? 0',
  'const first = latencies[0] ?? 0',
  'const of = burnRates["3d"] ?? 0',
  'const measured = timings.ttfbMs || 0',
  'const share = measuredShare\n  ?? 0',
])('finds %s', (source) => {
  expect(inventedMeasurements(`\n${source}`)).toEqual([
    expect.stringMatching(/^[23]: .*invents a measurement/),
  ])
})

test.each([
  'counts.set(region, (counts.get(region) ?? 0) + 1)',
  'const sinceMs = state.failingSinceMs ?? 0',
  'const isKnown = measuredAt <= Math.max(suspect?.measuredAt ?? 0, ignoredAt)',
  'groups.toSorted((a, b) => (a.latencyMsMax ?? 0) - (b.latencyMsMax ?? 0))',
  'const known = latencyMs ?? slowLatencyMs ?? null',
  'const text = percent(share) + (count ?? 0)',
  'const limitMs = slow[0]?.slowerThanMs ?? 0',
  "const text = '(latencyMs ?? 0)' // latencyMs ?? 0",
])('takes %s', (source) => {
  expect(inventedMeasurements(source)).toEqual([])
})

test('no figure of status, answers, objectives or readings is invented', () => {
  expect(checkMeasurements(new URL('../../..', import.meta.url).pathname)).toEqual([])
})
