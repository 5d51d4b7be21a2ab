import type { PastOutage } from '@probe-mesh/contracts/outage/answers'
import { expect, test } from 'vitest'
import { outagesSummary } from './list-recent-incidents.ts'

const past = (more: Partial<PastOutage> = {}): PastOutage => ({
  startedAt: '2026-11-20T11:00:00.000Z',
  endedAt: '2026-11-20T11:30:00.000Z',
  ongoing: false,
  durationSeconds: 1_800,
  regions: ['fra', 'iad'],
  unmeasuredSeconds: 0,
  aheadOfVendorSeconds: null,
  ...more,
})
const open = past({ endedAt: null, ongoing: true, regions: ['nrt'] })
const regional = { vantage: 'regional' } as const
const many = (count: number) => Array.from({ length: count }, () => past())

test.each<[string, PastOutage[], string]>([
  ['none', [], 'We saw no outage of Acme in the stored readings'],
  [
    'one',
    [past()],
    'We saw 1 outage of Acme, which began 2026-11-20 11:00 UTC (fra and iad) and lasted 30 min',
  ],
  [
    'two',
    many(2),
    'We saw 2 outages of Acme; the last began 2026-11-20 11:00 UTC (fra and iad) and lasted 30 min',
  ],
  ['one under way', [open], 'An outage of Acme has been under way since 2026-11-20 11:00 UTC (nrt)'],
  [
    'one under way after others',
    [open, ...many(2)],
    'An outage of Acme has been under way since 2026-11-20 11:00 UTC (nrt), and we saw 2 before it',
  ],
  [
    'as many as are told',
    many(50),
    'We saw at least 50 outages of Acme; the last began 2026-11-20 11:00 UTC (fra and iad) and lasted 30 min',
  ],
])('%s', (_, outages, said) => {
  expect(outagesSummary('Acme', outages, 'Acme is up.', regional)).toBe(
    `${said}; our own probes: Acme is up.`,
  )
})

test('from one machine it says so first, and once', () => {
  const said = outagesSummary('Acme', [past({ unmeasuredSeconds: 600 })], 'From this machine, Acme is up.', {
    vantage: 'local',
  })
  expect(said).toBe(
    'From this machine, we saw 1 outage of Acme, which began 2026-11-20 11:00 UTC (fra and iad; no data for 10 min of it) and lasted 30 min; our own probes: Acme is up.',
  )
})
