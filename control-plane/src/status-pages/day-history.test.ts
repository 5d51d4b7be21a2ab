import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import type { Span } from '../status/spans.ts'
import { historyOf, lastDays, type HistoryEvidence } from './day-history.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Noon of a day. */
const nowMs = Date.UTC(2026, 10, 20, 12)
const days = lastDays(3, nowMs)
const fromMs = Date.UTC(2026, 10, 18)
/** Hours since the first of the three days began. */
const at = (hours: number): number => fromMs + hours * hourMs
const span = (from: number, to: number): Span => ({ fromMs: at(from), toMs: at(to) })
const flip = (to: CheckStatus, hours: number) => ({ from: 'unknown' as const, to, atMs: at(hours) })

const evidence: HistoryEvidence = {
  flips: [flip('operational', -10)],
  knownUntilMs: nowMs,
  unwatched: [],
  maintenance: [],
  incidents: [],
}

test('days are UTC days, and today ends now', () => {
  expect(days.map((day) => (day.toMs - day.fromMs) / hourMs)).toEqual([24, 24, 12])
  expect(historyOf(days, evidence).days.map(({ date }) => date)).toEqual([
    '2026-11-18',
    '2026-11-19',
    '2026-11-20',
  ])
  expect(lastDays(90, Date.UTC(2026, 10, 20)).at(-1)).toEqual({
    fromMs: Date.UTC(2026, 10, 20),
    toMs: Date.UTC(2026, 10, 20),
  })
})

type Case = { is: string; given: Partial<HistoryEvidence>; shares: (number | null)[] }
test.each<Case>([
  { is: 'up all the time', given: {}, shares: [1, 1, 1] },
  { is: 'never measured', given: { flips: [] }, shares: [null, null, null] },
  {
    is: 'down for six hours',
    given: { flips: [flip('operational', -1), flip('down', 6), flip('degraded', 12)] },
    shares: [0.75, 1, 1],
  },
  {
    is: 'down over midnight',
    given: { flips: [flip('operational', 0), flip('down', 18), flip('operational', 30)] },
    shares: [0.75, 0.75, 1],
  },
  {
    is: 'stale for a day, which is no day without an outage',
    given: { flips: [flip('operational', 0), flip('stale', 24), flip('operational', 48)] },
    shares: [1, null, 1],
  },
  {
    is: 'on record as up, but not measured since',
    given: { knownUntilMs: at(24) },
    shares: [1, null, null],
  },
  {
    is: 'down under maintenance only',
    given: {
      flips: [flip('operational', 0), flip('down', 3), flip('operational', 5)],
      maintenance: [span(2, 4), span(3, 6)],
    },
    shares: [1, 1, 1],
  },
  {
    is: 'under maintenance for a day',
    given: { maintenance: [span(24, 48)] },
    shares: [1, null, 1],
  },
  {
    is: 'refused for a day',
    given: {
      flips: [flip('operational', 0), { ...flip('degraded', 24), noneUp: true }, flip('operational', 48)],
    },
    shares: [1, null, 1],
  },
  {
    is: 'measured for less than a second',
    given: { flips: [flip('operational', 60)], knownUntilMs: at(60) + 999 },
    shares: [null, null, null],
  },
  { is: 'paused for a day', given: { unwatched: [span(0, 24)] }, shares: [null, 1, 1] },
  {
    is: 'down for a tenth of a second',
    given: {
      flips: [flip('operational', 0), flip('down', 1), { ...flip('operational', 1), atMs: at(1) + 1 }],
    },
    shares: [0.999999, 1, 1],
  },
])('what was $is has shares $shares', ({ given, shares }) => {
  const history = historyOf(days, { ...evidence, ...given })
  expect(history.days.map(({ upShare }) => upShare)).toEqual(shares)
})

test('time is either measured, under maintenance or silent', () => {
  const given = {
    ...evidence,
    flips: [flip('operational', 2)],
    maintenance: [span(3, 4), span(3.5, 5)],
    unwatched: [span(4, 7)],
  }
  expect(historyOf(days, given).days[0]).toMatchObject({
    measuredSeconds: 18 * 3_600,
    maintenanceSeconds: 2 * 3_600,
    unmeasuredSeconds: 4 * 3_600,
  })
})

describe('an incident counts on each day on which it was open', () => {
  test.each<[string, Span, number[]]>([
    ['within a day', span(1, 2), [1, 0, 0]],
    ['over midnight', span(23, 25), [1, 1, 0]],
    ['to midnight', span(23, 24), [1, 0, 0]],
    ['for no time at all, at midnight', span(24, 24), [0, 1, 0]],
    ['from before to now', span(-100, 60), [1, 1, 1]],
    ['before all of this', span(-2, 0), [0, 0, 0]],
  ])('%s', (_, incident, counts) => {
    const { days: described } = historyOf(days, { ...evidence, incidents: [incident] })
    expect(described.map(({ incidents }) => incidents)).toEqual(counts)
  })
})

const anyStatus = fc.constantFrom<CheckStatus>('operational', 'degraded', 'down', 'stale', 'unknown')
const anyMs = fc.integer({ min: fromMs - dayMs, max: nowMs })
const anySpans = fc.array(
  fc.tuple(anyMs, anyMs).map(([a, b]) => ({ fromMs: Math.min(a, b), toMs: Math.max(a, b) })),
  { maxLength: 5 },
)
const anyEvidence = fc.record({
  flips: fc
    .array(fc.record({ from: anyStatus, to: anyStatus, atMs: anyMs }), { maxLength: 12 })
    .map((flips) => flips.toSorted((a, b) => a.atMs - b.atMs)),
  knownUntilMs: anyMs,
  unwatched: anySpans,
  maintenance: anySpans,
  incidents: anySpans,
})

test('silence never counts as measured, and no outage is rounded away', () => {
  forAll([anyEvidence], (given) => {
    const { days: described, upShare } = historyOf(days, given)
    for (const [index, day] of described.entries()) {
      const { fromMs, toMs } = days[index] ?? { fromMs: 0, toMs: 0 }
      const { measuredSeconds, unmeasuredSeconds, maintenanceSeconds } = day
      const sum = measuredSeconds + unmeasuredSeconds + maintenanceSeconds
      expect(Math.abs(sum - (toMs - fromMs) / 1000)).toBeLessThanOrEqual(2)
      expect(Math.min(measuredSeconds, unmeasuredSeconds, maintenanceSeconds)).toBeGreaterThanOrEqual(0)
      if (given.knownUntilMs <= fromMs) expect(day.upShare).toBeNull()
      if (measuredSeconds > 0) expect(day.upShare).not.toBeNull()
    }
    const shares = described.flatMap(({ upShare }) => upShare ?? [])
    if (shares.length === 0) expect(upShare).toBeNull()
    else {
      expect(upShare).toBeLessThanOrEqual(Math.max(...shares))
      // shares have six digits
      expect(upShare).toBeGreaterThanOrEqual(Math.min(...shares) - 1.01e-6)
      expect(upShare === 1).toBe(shares.every((share) => share === 1))
    }
  })
})
