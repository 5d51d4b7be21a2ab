import type { AlertStatus } from '@probe-mesh/contracts/alert/alert-rule'
import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { isCovered, type HoldingWindow } from '../maintenance/maintenance-hold.ts'
import { hourMs, playAlert, t0 } from './testing.ts'

type Step = { kind: 'flip'; to: CheckStatus; aheadMs: number } | { kind: 'look'; aheadMs: number }

const ahead = fc.oneof(fc.integer({ min: 0, max: 600_000 }), fc.integer({ min: 0, max: 5 * hourMs }))
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('flip' as const),
      to: fc.constantFrom<CheckStatus>('operational', 'degraded', 'down', 'stale', 'unknown'),
      aheadMs: ahead,
    }),
    fc.record({ kind: fc.constant('look' as const), aheadMs: ahead }),
  ),
  { minLength: 5, maxLength: 60 },
)
const windowsArbitrary: fc.Arbitrary<HoldingWindow[]> = fc.array(
  fc
    .record({ from: fc.nat(40 * hourMs), length: fc.integer({ min: 1, max: 6 * hourMs }) })
    .map(({ from, length }) => ({ startsAtMs: t0 + from, endsAtMs: t0 + from + length })),
  { maxLength: 4 },
)
const rule = fc.record({
  statuses: fc.subarray<AlertStatus>(['down', 'degraded', 'stale'], { minLength: 1 }),
  afterSeconds: fc.constantFrom(0, 60, 300, 7_200),
})

const played = fc.tuple(rule, windowsArbitrary, steps)

/** Plays the steps; a status is no flip when the check has it already. */
const play = ([terms, windows, taken]: [
  { statuses: AlertStatus[]; afterSeconds: number },
  HoldingWindow[],
  Step[],
]) => {
  const game = playAlert(terms, windows)
  let nowMs = t0
  let status: CheckStatus = 'unknown'
  for (const step of taken) {
    nowMs += step.aheadMs
    if (step.kind === 'look') game.look(nowMs)
    else if (step.to !== status) {
      status = step.to
      game.flip(step.to, nowMs)
    }
  }
  return { game, nowMs }
}

describe('in any sequence of flips and looks', () => {
  test('each recovery follows its alert, at most once', () => {
    forAll([played], { numRuns: 2000 }, (setting) => {
      const open = new Set<string>()
      for (const { event, alert } of play(setting).game.notices) {
        if (event === 'alert') open.add(alert.flipId)
        else expect(open.has(alert.flipId)).toBe(true)
        if (event === 'recovery') open.delete(alert.flipId)
      }
    })
  })

  test('an outage has at most one alert, held or not', () => {
    forAll([played], { numRuns: 2000 }, (setting) => {
      const alerted = play(setting)
        .game.notices.filter(({ event }) => event === 'alert')
        .map(({ alert }) => alert.flipId)
      expect(new Set(alerted).size).toBe(alerted.length)
    })
  })

  test('no second alert comes before the recovery', () => {
    forAll([played], { numRuns: 2000 }, (setting) => {
      let open = false
      for (const { event } of play(setting).game.notices) {
        if (event === 'alert') expect(open).toBe(false)
        if (event !== 'reminder') open = event === 'alert'
      }
    })
  })

  test('no alert and no reminder is sent during maintenance', () => {
    forAll([played], { numRuns: 2000 }, (setting) => {
      for (const { event, atMs } of play(setting).game.notices) {
        if (event !== 'recovery') expect(isCovered(setting[1], atMs)).toBe(false)
      }
    })
  })

  test('a check that is never down is never reported as down', () => {
    forAll([played], { numRuns: 2000 }, ([terms, windows, taken]) => {
      const innocent = taken.filter((step) => step.kind === 'look' || step.to !== 'down')
      for (const { alert } of play([terms, windows, innocent]).game.notices) {
        expect(alert.status).not.toBe('down')
        expect(alert.toldDown).toBe(false)
      }
    })
  })

  test('a check that stays down is reported eventually, even when it was held', () => {
    forAll([played], { numRuns: 2000 }, (setting) => {
      const { game, nowMs } = play(setting)
      game.flip('operational', nowMs)
      const before = game.notices.length
      game.flip('down', nowMs + 1)
      game.look(nowMs + 1)
      game.look(nowMs + 400 * hourMs)
      const alerts = game.notices.slice(before).filter(({ event }) => event === 'alert')
      expect(alerts).toHaveLength(setting[0].statuses.includes('down') ? 1 : 0)
    })
  })

  test('reminders of one status are at least an hour apart', () => {
    forAll([played], { numRuns: 2000 }, (setting) => {
      const reminders = play(setting).game.notices.filter(({ event }) => event === 'reminder')
      const byOutage = Map.groupBy(reminders, ({ alert }) => alert.flipId)
      for (const notices of byOutage.values()) {
        // one extra reminder is sent early when the check gets worse
        const numbered = notices.filter(
          ({ alert }, index) => alert.reminders > (notices[index - 1]?.alert.reminders ?? 0),
        )
        for (const [index, { atMs }] of numbered.entries()) {
          const last = numbered[index - 1]
          if (last !== undefined) expect(atMs - last.atMs).toBeGreaterThanOrEqual(hourMs)
        }
        expect(notices.length - numbered.length).toBeLessThanOrEqual(1)
      }
    })
  })
})
