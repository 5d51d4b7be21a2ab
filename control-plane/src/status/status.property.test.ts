import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import { staleAfterMs } from './freshness.ts'
import { describeStatus } from './status.ts'
import { play, readingAt } from './testing.ts'

const regions = ['iad', 'sjc', 'fra', 'nrt']
const t0 = 1_700_000_000_000

type Step =
  | { kind: 'reading'; region: string; verdict: Verdict; aheadMs: number; lateMs: number }
  | { kind: 'silence'; aheadMs: number }
  | { kind: 'repeat'; back: number }

const readingStep = (verdicts: readonly Verdict[]): fc.Arbitrary<Step> =>
  fc.record({
    kind: fc.constant('reading' as const),
    region: fc.constantFrom(...regions),
    verdict: fc.constantFrom(...verdicts),
    aheadMs: fc.integer({ min: 0, max: 12_000 }),
    lateMs: fc.oneof(
      { weight: 9, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 600_000 }) },
    ),
  })
const silenceStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('silence' as const),
  aheadMs: fc.integer({ min: 0, max: 400_000 }),
})
const repeatStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('repeat' as const),
  back: fc.nat(20),
})
const all: readonly Verdict[] = ['up', 'down', 'blocked', 'unmeasured']
const stepsOf = (verdicts: readonly Verdict[]) =>
  fc.array(fc.oneof({ weight: 9, arbitrary: readingStep(verdicts) }, silenceStep, repeatStep), {
    minLength: 20,
    maxLength: 80,
  })
const scheduleArbitrary = fc.record({
  regions: fc.oneof({ weight: 2, arbitrary: fc.constant(regions) }, fc.subarray(regions, { minLength: 1 })),
  intervalSeconds: fc.constantFrom(10, 30, 60),
})

/** Plays the steps; after each, the observer gets the shown status before and after, and the reason. */
const playSteps = (
  schedule: { regions: string[]; intervalSeconds: number },
  steps: readonly Step[],
  look: (moment: {
    step: Step
    game: ReturnType<typeof play>
    changesBefore: number
    nowMs: number
    /** The recorded status: a reading in flight may arrive while the check is shown as stale. */
    recordedBefore: string
    saidBefore: string
    said: string
  }) => void,
): void => {
  const game = play(schedule)
  const seen: ReturnType<typeof readingAt>[] = []
  let nowMs = t0
  for (const step of steps) {
    if (step.kind !== 'repeat') nowMs += step.aheadMs
    const saidBefore = describeStatus(game.state(), schedule, nowMs).status
    const changesBefore = game.changes.length
    const recordedBefore = game.state().status
    if (step.kind === 'silence') game.pass(nowMs)
    if (step.kind === 'reading') {
      const reading = readingAt(step.region, step.verdict, nowMs - step.lateMs)
      seen.push(reading)
      game.observe(reading, nowMs)
    }
    const again = step.kind === 'repeat' ? seen.at(-1 - step.back) : undefined
    if (again !== undefined) game.observe(again, nowMs)
    const said = describeStatus(game.state(), schedule, nowMs).status
    look({ step, game, changesBefore, nowMs, recordedBefore, saidBefore, said })
  }
}

describe('for any events in any order', () => {
  test('silence never leads to down or to operational', () => {
    forAll([scheduleArbitrary, stepsOf(all)], { numRuns: 1000 }, (schedule, steps) => {
      playSteps(schedule, steps, ({ step, game, changesBefore }) => {
        if (step.kind !== 'silence') return
        for (const change of game.changes.slice(changesBefore)) expect(change.to).toBe('stale')
      })
    })
  })

  test('blocked, unmeasured and repeated readings never lead to down', () => {
    forAll([scheduleArbitrary, stepsOf(all)], { numRuns: 1000 }, (schedule, steps) => {
      playSteps(schedule, steps, ({ step, recordedBefore, saidBefore, said }) => {
        const innocent = step.kind === 'reading' && step.verdict !== 'down'
        if (innocent || step.kind !== 'reading') {
          const wasDown = saidBefore === 'down' || recordedBefore === 'down'
          if (!wasDown) expect(said).not.toBe('down')
        }
      })
    })
  })

  test('a good reading never makes an operational check worse', () => {
    forAll([scheduleArbitrary, stepsOf(all)], { numRuns: 1000 }, (schedule, steps) => {
      playSteps(schedule, steps, ({ step, game, changesBefore }) => {
        if (step.kind !== 'reading' || step.verdict !== 'up') return
        for (const change of game.changes.slice(changesBefore)) {
          if (change.from === 'operational') expect(change.to).toBe('stale')
        }
      })
    })
  })

  test('without a down reading no check is down', () => {
    forAll(
      [scheduleArbitrary, stepsOf(['up', 'blocked', 'unmeasured'])],
      { numRuns: 1000 },
      (schedule, steps) => {
        playSteps(schedule, steps, ({ said }) => expect(said).not.toBe('down'))
      },
    )
  })

  test('only a fresh up reading leads to operational', () => {
    forAll([scheduleArbitrary, stepsOf(all)], { numRuns: 1000 }, (schedule, steps) => {
      playSteps(schedule, steps, ({ said, saidBefore, step, nowMs, game }) => {
        if (said !== 'operational') return
        const fresh = describeStatus(game.state(), schedule, nowMs).regionStatuses
        expect(fresh.some((region) => region.fresh && region.status === 'up')).toBe(
          fresh.some((region) => region.fresh && region.status !== 'blocked'),
        )
        if (saidBefore !== 'operational') {
          expect(step).toMatchObject({ kind: 'reading', verdict: 'up' })
        }
      })
    })
  })

  test('opening down needs a quorum of fresh failing regions', () => {
    forAll([scheduleArbitrary, stepsOf(all)], { numRuns: 1000 }, (schedule, steps) => {
      playSteps(schedule, steps, ({ said, saidBefore, recordedBefore, game, nowMs }) => {
        // a recorded down that was shown as stale is shown again
        if (said !== 'down' || saidBefore === 'down' || recordedBefore === 'down') return
        const { regionStatuses } = describeStatus(game.state(), schedule, nowMs)
        const down = regionStatuses.filter((region) => region.status === 'down').length
        const up = regionStatuses.filter((region) => region.status === 'up').length
        expect(down).toBeGreaterThan(up)
        expect(down).toBeGreaterThanOrEqual(schedule.regions.length === 1 ? 1 : 2)
      })
    })
  })

  test('flips form a chain in order of time', () => {
    forAll([scheduleArbitrary, stepsOf(all)], { numRuns: 1000 }, (schedule, steps) => {
      let last: { to: string; atMs: number; noneUp?: boolean } = { to: 'unknown', atMs: 0 }
      playSteps(schedule, steps, ({ game, changesBefore }) => {
        for (const change of game.changes.slice(changesBefore)) {
          expect(change.from).toBe(last.to)
          // the status stays if only a mark changes
          if (change.to === change.from) {
            expect(change.noneUp === true).not.toBe(last.noneUp === true)
          }
          expect(change.atMs).toBeGreaterThanOrEqual(last.atMs)
          last = change
        }
        expect(game.state().version).toBe(game.changes.length)
        expect(game.state().status).toBe(last.to)
      })
    })
  })

  test('a check is stale as soon as no region is fresh, recorded or not', () => {
    forAll([scheduleArbitrary, stepsOf(all), fc.nat(10_000)], { numRuns: 1000 }, (schedule, steps, more) => {
      let end: { state: ReturnType<ReturnType<typeof play>['state']>; nowMs: number } | null = null
      playSteps(schedule, steps, ({ game, nowMs }) => {
        end = { state: game.state(), nowMs }
      })
      if (end === null) return
      const { state, nowMs } = end
      const said = describeStatus(state, schedule, nowMs + staleAfterMs(schedule.intervalSeconds) + 1 + more)
      expect(['stale', 'unknown']).toContain(said.status)
      expect(said.regionStatuses.every((region) => !region.fresh)).toBe(true)
    })
  })
})
