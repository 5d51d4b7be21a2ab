import { burnWindows } from '@probe-mesh/contracts/objective/objective'
import { slotsDue, type Revision } from '@probe-mesh/contracts/reading/slots'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stateOf } from './objective-states.ts'
import { noProbes, type Counted, type CountedWindow, type ProbeCounts } from './probe-counts-query.ts'

// Budgets and burn rates against a model that knows only when a check existed, failed and was not measured, in minutes.

const minuteMs = 60_000
const nowMs = Date.parse('2026-11-20T12:34:56.000Z')
const checkId = '01890000-0000-7000-8000-000000000001'
const regions = ['fra', 'iad', 'nrt', 'sjc']
const minutesOf = { '5m': 5, '30m': 30, '1h': 60, '6h': 360, '3d': 4_320, '7d': 10_080 } as const
type Window = keyof typeof minutesOf

/** Minutes before now, from the older to the newer. */
type Span = { from: number; to: number }
type History = {
  everySeconds: number
  isSpread: boolean
  ageMinutes: number
  measuring: readonly string[]
  outage: Span
  gap: Span
  pause: Span
}

const isIn = ({ from, to }: Span, atMs: number): boolean =>
  atMs >= nowMs - from * minuteMs && atMs < nowMs - to * minuteMs

/** Windows begin on a whole minute, those of days on a whole hour. */
const fromMsOf = (window: Window): number => {
  const stepMs = minutesOf[window] >= 4_320 ? 60 * minuteMs : minuteMs
  return Math.floor(nowMs / stepMs) * stepMs - minutesOf[window] * minuteMs
}

const revisionsOf = ({ everySeconds, isSpread, ageMinutes, pause }: History): Revision[] => {
  const [validFromMs, offMs, onMs] = [ageMinutes, pause.from, pause.to].map((ago) => nowMs - ago * minuteMs)
  const base = { regions, intervalSeconds: everySeconds, isSpread }
  return [
    { ...base, validFromMs: validFromMs ?? 0, validToMs: offMs ?? 0, paused: false },
    { ...base, validFromMs: offMs ?? 0, validToMs: onMs ?? 0, paused: true },
    { ...base, validFromMs: onMs ?? 0, validToMs: null, paused: false },
  ]
}

/** What ClickHouse would count of the slots. */
const countsOf = (history: History): ProbeCounts => {
  const revisions = revisionsOf(history)
  const slots = history.measuring.map((region) =>
    slotsDue(checkId, region, revisions, 0, nowMs).filter((atMs) => !isIn(history.gap, atMs)),
  )
  const counted = (window: Window): Counted => {
    const inside = slots.map((own) => own.filter((atMs) => atMs >= fromMsOf(window)))
    const all = inside.flat()
    const down = all.filter((atMs) => isIn(history.outage, atMs)).length
    const most = Math.max(0, ...inside.map((own) => own.length))
    return { up: all.length - down, down, most, firstMs: all.length === 0 ? null : Math.min(...all) }
  }
  const windows = Object.keys(minutesOf) as Window[]
  return { ...noProbes, ...(Object.fromEntries(windows.map((each) => [each, counted(each)])) as ProbeCounts) }
}

const stateAt = (history: History, target: number) => {
  const state = stateOf(
    { target, windowDays: 7, checkIds: [checkId], latencyMsMax: null },
    {
      counts: new Map([[null, new Map([[checkId, countsOf(history)]])]]),
      revisions: new Map([[checkId, revisionsOf(history)]]),
      atMs: nowMs,
    },
  )
  if (state === null) throw new Error('no state')
  return state
}

/** Minutes of a window in which the check was measured, and of these the failed ones, second by second. */
const modelOf = (history: History, window: CountedWindow & Window) => {
  let [measured, failed] = [0, 0]
  const fromMs = Math.max(fromMsOf(window), nowMs - history.ageMinutes * minuteMs)
  for (let atMs = fromMs; atMs < nowMs; atMs += 1_000) {
    if (isIn(history.gap, atMs) || isIn(history.pause, atMs)) continue
    measured += 1 / 60
    if (isIn(history.outage, atMs)) failed += 1 / 60
  }
  return { measured, failed, whole: (nowMs - fromMsOf(window)) / minuteMs }
}

const spanIn = (ageMinutes: number): fc.Arbitrary<Span> =>
  fc
    .tuple(fc.integer({ min: 0, max: ageMinutes }), fc.integer({ min: 0, max: ageMinutes }))
    .map(([a, b]) => ({ from: Math.max(a, b), to: Math.min(a, b) }))
const historyArbitrary: fc.Arbitrary<History> = fc
  .record({
    everySeconds: fc.constantFrom(10, 30, 60, 300),
    isSpread: fc.boolean(),
    ageMinutes: fc.oneof(fc.integer({ min: 2, max: 500 }), fc.integer({ min: 500, max: 3_000 })),
    measuring: fc.subarray(regions, { minLength: 1 }),
  })
  .chain((base) =>
    fc
      .record({
        outage: spanIn(base.ageMinutes),
        gap: spanIn(base.ageMinutes),
        pause: spanIn(base.ageMinutes),
      })
      .map((spans) => ({ ...base, ...spans })),
  )

describe('for any age, interval, outage, gap, pause and missing regions', () => {
  test('the budget loses the minutes that were measured down, and says how much was measured', () => {
    forAll([historyArbitrary], { numRuns: 60 }, (history) => {
      const state = stateAt(history, 99)
      const { measured, failed, whole } = modelOf(history, '7d')
      // one probe stands for its interval; spans begin and end within one, in each region
      const probeMinutes = history.everySeconds / 60
      expect(Math.abs(state.measuredShare * whole - measured)).toBeLessThanOrEqual(4 * probeMinutes + 0.02)
      if (state.budgetMinutesLeft === null) {
        expect(measured).toBeLessThanOrEqual(4 * probeMinutes)
        return
      }
      const lost = ((state.budgetMinutes - state.budgetMinutesLeft) * whole) / minutesOf['7d']
      expect(Math.abs(lost - failed)).toBeLessThanOrEqual(6 * probeMinutes + 0.05)
    })
  })

  test('no window of which less than half was measured has a burn rate, nor lets a pair begin', () => {
    forAll([historyArbitrary], { numRuns: 60 }, (history) => {
      const { burnRates, burnMeasuredShares, burns } = stateAt(history, 99)
      for (const window of burnWindows) {
        const { measured, whole } = modelOf(history, window)
        const slack = (4 * history.everySeconds) / 60 + 0.02
        expect(Math.abs(burnMeasuredShares[window] * whole - measured)).toBeLessThanOrEqual(slack)
        if (measured + slack < whole / 2) expect(burnRates[window]).toBeNull()
        if (measured - slack > whole / 2) expect(burnRates[window]).not.toBeNull()
      }
      for (const { long, short, spending } of burns) {
        if (burnRates[long] === null || burnRates[short] === null) expect(spending).not.toBe(true)
      }
    })
  })
})

test('a check of 7 minutes that was down for 223 s has lost 3.7 minutes, and burns nothing that needs hours', () => {
  const none = { from: 0, to: 0 }
  const history = {
    everySeconds: 10,
    isSpread: true,
    ageMinutes: 7,
    measuring: regions,
    gap: none,
    pause: none,
  }
  const state = stateAt({ ...history, outage: { from: 223 / 60, to: 0 } }, 99)
  expect(state.budgetMinutes).toBe(100.8)
  expect(state.budgetMinutesLeft).toBeCloseTo(97.1, 1)
  expect(state.measuredShare).toBeCloseTo(7 / 10_080, 3)
  expect(state.burnRates).toMatchObject({ '30m': null, '1h': null, '6h': null, '3d': null })
  expect(state.burns.map(({ spending }) => spending)).toEqual([null, null, null])
})
