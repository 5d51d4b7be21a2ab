import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { hourMs, minuteMs, playAlert, t0 } from './testing.ts'

const dayMs = 24 * hourMs

/** Looks every half hour, as the alerter does when something is due. */
const watch = (game: ReturnType<typeof playAlert>, fromMs: number, forMs: number): void => {
  for (let ms = fromMs; ms <= fromMs + forMs; ms += 30 * minuteMs) game.look(ms)
}
const opened = (rule: Parameters<typeof playAlert>[0] = {}) => {
  const game = playAlert(rule)
  game.flip('down', t0)
  game.look(t0)
  return game
}

describe('an acknowledged alert', () => {
  test('sends no reminders, and its recovery', () => {
    const game = opened()
    game.act({ kind: 'acknowledge' }, t0 + minuteMs)
    watch(game, t0 + minuteMs, 10 * dayMs)
    game.flip('operational', t0 + 11 * dayMs)
    expect(game.sent()).toEqual(['alert down', 'acknowledged down', 'recovery operational'])
  })

  test('is sent once more when it gets worse, and has no reminders after that', () => {
    const game = playAlert({ statuses: ['degraded', 'down'] })
    game.flip('degraded', t0)
    game.look(t0)
    game.act({ kind: 'acknowledge' }, t0 + minuteMs)
    game.flip('down', t0 + hourMs)
    watch(game, t0 + hourMs, 3 * dayMs)
    expect(game.sent()).toEqual(['alert degraded', 'acknowledged degraded', 'reminder down'])
  })

  test('keeps who took it first', () => {
    const game = opened()
    game.act({ kind: 'acknowledge' }, t0 + minuteMs, 'Ada')
    game.act({ kind: 'acknowledge' }, t0 + 2 * minuteMs, 'Bob')
    expect(game.alert()?.acknowledged).toEqual({ by: 'Ada', atMs: t0 + minuteMs })
    expect(game.sent()).toEqual(['alert down', 'acknowledged down'])
  })

  test('that no receiver knows stays silent', () => {
    const game = playAlert({ afterSeconds: 600 })
    game.flip('down', t0)
    game.act({ kind: 'acknowledge' }, t0 + minuteMs)
    watch(game, t0, dayMs)
    game.flip('operational', t0 + 2 * dayMs)
    expect(game.sent()).toEqual([])
  })
})

describe('a snoozed alert', () => {
  test('sends one reminder at the end, and then reminders as before', () => {
    const game = opened()
    game.act({ kind: 'snooze', untilMs: t0 + 4 * hourMs }, t0 + minuteMs)
    watch(game, t0 + minuteMs, 4 * hourMs - 2 * minuteMs)
    expect(game.sent()).toEqual(['alert down'])
    watch(game, t0 + 4 * hourMs, 3 * hourMs)
    expect(game.sent()).toEqual(['alert down', 'reminder down', 'reminder down'])
  })

  test('that recovers meanwhile says so, and nothing at the end', () => {
    const game = opened()
    game.act({ kind: 'snooze', untilMs: t0 + 4 * hourMs }, t0 + minuteMs)
    game.flip('operational', t0 + hourMs)
    watch(game, t0 + hourMs, dayMs)
    expect(game.sent()).toEqual(['alert down', 'recovery operational'])
  })

  test('that was acknowledged before is not snoozed: no reminder follows', () => {
    const game = opened()
    game.act({ kind: 'acknowledge' }, t0 + minuteMs)
    game.act({ kind: 'snooze', untilMs: t0 + 4 * hourMs }, t0 + 2 * minuteMs)
    watch(game, t0 + 2 * minuteMs, 5 * dayMs)
    expect(game.alert()?.snoozedUntilMs).toBeUndefined()
    expect(game.sent()).toEqual(['alert down', 'acknowledged down'])
  })
})

describe('an alert whose messages were ended', () => {
  test('says that, and nothing more: no reminder, nothing worse, no recovery', () => {
    const game = playAlert({ statuses: ['degraded', 'down'] })
    game.flip('degraded', t0)
    game.look(t0)
    game.act({ kind: 'resolve' }, t0 + minuteMs)
    game.flip('down', t0 + hourMs)
    watch(game, t0 + hourMs, 3 * dayMs)
    game.flip('operational', t0 + 4 * dayMs)
    expect(game.sent()).toEqual(['alert degraded', 'resolved degraded'])
    expect(game.alert()).toBeNull()
  })

  test('alerts again on the next outage', () => {
    const game = opened()
    game.act({ kind: 'resolve' }, t0 + minuteMs)
    game.flip('operational', t0 + hourMs)
    game.flip('down', t0 + 2 * hourMs)
    game.look(t0 + 2 * hourMs)
    expect(game.sent()).toEqual(['alert down', 'resolved down', 'alert down'])
  })
})

test('in any sequence, after an acknowledgement an outage says at most once that it is down, and recovers once', () => {
  const ahead = fc.integer({ min: 0, max: 5 * hourMs })
  const step = fc.oneof(
    fc.record({ to: fc.constantFrom<CheckStatus>('operational', 'degraded', 'down', 'stale'), ahead }),
    fc.record({ act: fc.constant('acknowledge' as const), ahead }),
    fc.record({ look: fc.constant(true), ahead }),
  )
  const rule = fc.record({
    statuses: fc.constantFrom<('down' | 'degraded')[]>(['down'], ['degraded', 'down']),
    afterSeconds: fc.constantFrom(0, 600),
  })
  forAll([rule, fc.array(step, { minLength: 5, maxLength: 60 })], { numRuns: 2000 }, (terms, taken) => {
    const game = playAlert(terms)
    let nowMs = t0
    let status: CheckStatus = 'unknown'
    for (const one of taken) {
      nowMs += one.ahead
      if ('act' in one) game.act({ kind: 'acknowledge' }, nowMs)
      else if ('look' in one) game.look(nowMs)
      else if (one.to !== status) game.flip((status = one.to), nowMs)
    }
    const byOutage = Map.groupBy(game.notices, ({ alert }) => alert.flipId)
    for (const notices of byOutage.values()) {
      const taken = notices.filter(({ alert }) => alert.acknowledged !== undefined)
      const events = taken.map(({ event }) => event)
      expect(events.filter((event) => event === 'alert' || event === 'reminder').length).toBeLessThanOrEqual(
        1,
      )
      expect(events.filter((event) => event === 'recovery').length).toBeLessThanOrEqual(1)
      for (const { event, alert } of taken) {
        if (event === 'reminder') expect(alert.status).toBe('down')
      }
    }
  })
})
