import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { staleAfterMs } from './freshness.ts'
import { knownSpans, type FlipRow } from './spans.ts'
import { staleAtMs } from './observe.ts'
import { play, readingAt } from './testing.ts'
import { uptimeOf } from './uptime.ts'

const hour = 3_600_000
const regions = ['fra', 'nrt']
const schedule = { regions, intervalSeconds: 10 }
const now = 1_700_000_000_000
const uptime = (flips: readonly FlipRow[]) =>
  uptimeOf({ flips, knownUntilMs: now, unwatched: [] }, now).uptime

test('uptime is the share of measured time that was not down', () => {
  const flips = [
    { from: 'unknown', to: 'operational', atMs: now - 10 * hour },
    { from: 'operational', to: 'down', atMs: now - 5 * hour },
    { from: 'down', to: 'operational', atMs: now - 4 * hour },
  ] as const
  expect(uptime(flips).day).toBe(0.9)
})

test('unmeasured time counts neither way', () => {
  const flips = [
    { from: 'unknown', to: 'operational', atMs: now - 10 * hour },
    { from: 'operational', to: 'stale', atMs: now - 8 * hour },
    { from: 'stale', to: 'down', atMs: now - 2 * hour },
  ] as const
  expect(uptime(flips).day).toBe(0.5)
})

test('degraded time is measured and not down', () => {
  expect(uptime([{ from: 'unknown', to: 'degraded', atMs: now - hour }]).week).toBe(1)
})

/** The uptime of a check of these regions after these readings, one per second. */
const uptimeAfter = (readings: readonly (readonly [string, 'up' | 'down' | 'blocked'])[]) => {
  const game = play(schedule)
  const begunMs = now - readings.length * 1_000
  for (const [index, [region, verdict]] of readings.entries()) {
    game.observe(readingAt(region, verdict, begunMs + index * 1_000))
  }
  const evidence = { flips: game.changes, knownUntilMs: now, unwatched: [] }
  return uptimeOf(evidence, now)
}

test('a target that always refused has no uptime', () => {
  const readings = Array.from({ length: 640 }, () => ['fra', 'blocked'] as const)
  expect(uptimeAfter(readings)).toMatchObject({
    uptime: { day: null, quarter: null },
    measuredShare: { day: 0 },
  })
})

test('a refusal in the middle counts neither as up nor as down', () => {
  const hold = (verdict: 'up' | 'down' | 'blocked') =>
    Array.from({ length: 100 }, () => [['fra', verdict] as const, ['nrt', verdict] as const]).flat()
  const { uptime: up, measuredShare } = uptimeAfter([
    ...hold('up'),
    ...hold('down'),
    ...hold('blocked'),
    ...hold('up'),
  ])
  expect(up.day).toBeCloseTo(2 / 3, 2)
  expect(measuredShare.day).toBeCloseTo(600 / 86_400, 4)
})

test('a target never seen up has an uptime of zero, or none while only one region saw it', () => {
  forAll(
    [
      fc.array(
        fc.tuple(fc.constantFrom(...regions), fc.constantFrom<'down' | 'blocked'>('down', 'blocked')),
        { minLength: 1, maxLength: 60 },
      ),
    ],
    (readings) => {
      expect(uptimeAfter(readings).uptime.day ?? 0).toBe(0)
    },
  )
})

test('a flip before the window counts within it', () => {
  const flips = [
    { from: 'unknown', to: 'down', atMs: now - 48 * hour },
    { from: 'down', to: 'operational', atMs: now - 12 * hour },
  ] as const
  expect(uptime(flips)).toEqual({ day: 0.5, week: 0.25, month: 0.25, quarter: 0.25 })
})

test('nothing measured is null, never a number', () => {
  expect(uptimeOf({ flips: [], knownUntilMs: now, unwatched: [] }, now)).toEqual({
    uptime: { day: null, week: null, month: null, quarter: null },
    measuredShare: { day: 0, week: 0, month: 0, quarter: 0 },
  })
})

test('the record counts while it is valid, except for unmonitored time', () => {
  const flips = [
    { from: 'unknown', to: 'down', atMs: now - 24 * hour },
    { from: 'down', to: 'operational', atMs: now - 18 * hour },
  ] as const
  const unwatched = [
    { fromMs: now - 21 * hour, toMs: now - 15 * hour },
    { fromMs: now - 20 * hour, toMs: now - 19 * hour },
  ]
  const evidence = { flips, knownUntilMs: now - 12 * hour, unwatched }
  const { uptime: up, measuredShare } = uptimeOf(evidence, now)
  expect(up).toEqual({ day: 0.5, week: 0.5, month: 0.5, quarter: 0.5 })
  expect(measuredShare).toEqual({ day: 0.25, week: 0.035714, month: 0.008333, quarter: 0.002777 })
})

test('a window with a gap is not measured as a whole', () => {
  const flips = [{ from: 'unknown', to: 'operational', atMs: now - 90 * 24 * hour }] as const
  const evidence = { flips, knownUntilMs: now - 1, unwatched: [] }
  expect(uptimeOf(evidence, now).measuredShare.quarter).toBe(0.999999)
})

/** An assessor that is sometimes unavailable: readings wait for it, and time passes without an evaluation. */
const story = fc.array(
  fc.record({
    aheadMs: fc.oneof(fc.integer({ min: 0, max: 15_000 }), fc.integer({ min: 0, max: 300_000 })),
    region: fc.constantFrom(...regions),
    verdict: fc.constantFrom('up' as const, 'down' as const, 'blocked' as const, 'unmeasured' as const),
    isAway: fc.boolean(),
  }),
  { minLength: 5, maxLength: 60 },
)

test('time without a fresh reading never counts, with any outages of the assessor', () => {
  forAll([story, fc.integer({ min: 0, max: 600_000 })], { numRuns: 500 }, (steps, silenceMs) => {
    const game = play(schedule)
    const fresh: { fromMs: number; toMs: number }[] = []
    let waiting: ReturnType<typeof readingAt>[] = []
    let nowMs = now
    for (const { aheadMs, region, verdict, isAway } of steps) {
      nowMs += aheadMs
      const reading = readingAt(region, verdict, nowMs)
      waiting.push(reading)
      if (verdict !== 'unmeasured') {
        fresh.push({ fromMs: nowMs, toMs: nowMs + staleAfterMs(schedule.intervalSeconds) })
      }
      if (isAway) continue
      for (const one of waiting) game.observe(one, nowMs)
      game.pass(nowMs)
      waiting = []
    }
    nowMs += silenceMs
    const flips = game.changes.map(({ from, to, atMs }) => ({ from, to, atMs }))
    const knownUntilMs = Math.min(nowMs, staleAtMs(game.state(), schedule) ?? 0)
    for (const span of knownSpans({ flips, knownUntilMs, unwatched: [] })) {
      // gaps between fresh periods do not count
      let untilMs = span.fromMs
      for (const { fromMs, toMs } of fresh) {
        if (fromMs <= untilMs) untilMs = Math.max(untilMs, toMs)
      }
      expect(untilMs).toBeGreaterThanOrEqual(span.toMs)
    }
  })
})
