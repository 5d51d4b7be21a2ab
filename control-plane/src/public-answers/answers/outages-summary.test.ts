import type { PastOutage } from '@probe-mesh/contracts/outage/answers'
import { expect, test } from 'vitest'
import { withVantage } from '../sentence.ts'
import { outagesClause, outagesSummary } from './list-recent-incidents.ts'

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
  ['no outages', [], 'We saw no outage of Acme in the stored readings'],
  [
    'one outage',
    [past()],
    'We saw 1 outage of Acme, which began 2026-11-20 11:00 UTC (fra and iad) and lasted 30 min',
  ],
  [
    'two outages',
    many(2),
    'We saw 2 outages of Acme; the last began 2026-11-20 11:00 UTC (fra and iad) and lasted 30 min',
  ],
  ['an ongoing outage', [open], 'An outage of Acme has been under way since 2026-11-20 11:00 UTC (nrt)'],
  [
    'an ongoing outage after others',
    [open, ...many(2)],
    'An outage of Acme has been under way since 2026-11-20 11:00 UTC (nrt), and we saw 2 before it',
  ],
  [
    'a full list of outages',
    many(50),
    'We saw at least 50 outages of Acme; the last began 2026-11-20 11:00 UTC (fra and iad) and lasted 30 min',
  ],
])('the summary describes %s and then our own probes', (_, outages, sentence) => {
  expect(outagesSummary(outagesClause('Acme', outages, true), 'Acme is up.', regional)).toBe(
    `${sentence}; our own probes: Acme is up.`,
  )
})

test('the summary from one machine mentions that once, at its start', () => {
  const past30 = outagesClause('Acme', [past({ unmeasuredSeconds: 600 })], true)
  const summary = outagesSummary(past30, 'From this machine, Acme is up.', { vantage: 'local' })
  expect(summary).toBe(
    'From this machine, we saw 1 outage of Acme, which began 2026-11-20 11:00 UTC (fra and iad; no data for 10 min of it) and lasted 30 min; our own probes: Acme is up.',
  )
})

test('nothing measured is no claim that there was no outage', () => {
  expect(outagesSummary(outagesClause('Acme', [], false), 'We have no recent measurement.', regional)).toBe(
    'Nothing was measured of Acme in the last 30 days, so its outages are not known; our own probes: We have no recent measurement.',
  )
})

test.each<['regional' | 'local', string]>([
  ['regional', 'We saw no outage of Acme in the stored readings; our own probes see'],
  ['local', 'From this machine, we saw no outage of Acme in the stored readings; our own probes see'],
])('a service that answers is no second headline, %s', (vantage, begin) => {
  const now = withVantage({ vantage }, 'No sign of an outage: acme.example answers. That does not show more.')
  expect(outagesSummary(outagesClause('Acme', [], true), now, { vantage })).toBe(
    `${begin} no sign of an outage: acme.example answers. That does not show more.`,
  )
})
