import { describe, expect, test } from 'vitest'
import { hourMs, minuteMs, playAlert, t0 } from './testing.ts'

describe('an alert', () => {
  test('is sent immediately, and its recovery after it', () => {
    const game = playAlert()
    game.flip('down', t0)
    game.look(t0)
    game.flip('operational', t0 + minuteMs)
    expect(game.sent()).toEqual(['alert down', 'recovery operational'])
    expect(game.notices[1]).toMatchObject({ atMs: t0 + minuteMs, alert: { sinceMs: t0 } })
    expect(game.alert()).toBeNull()
  })

  test.each([
    ['just before afterSeconds', 299_999, []],
    ['at afterSeconds', 300_000, ['alert down', 'recovery operational']],
  ])('of a check that recovers %s', (_, backMs, expected) => {
    const game = playAlert({ afterSeconds: 300 })
    game.flip('down', t0)
    game.look(t0 + Math.min(backMs, 299_999))
    game.flip('operational', t0 + backMs)
    game.look(t0 + 2 * hourMs)
    expect(game.sent()).toEqual(expected)
  })

  test('that was missed in time is sent late, together with its recovery', () => {
    const game = playAlert({ afterSeconds: 60 })
    game.flip('down', t0)
    game.flip('operational', t0 + hourMs)
    expect(game.sent()).toEqual(['alert down', 'recovery operational'])
  })

  test.each(['degraded', 'stale'] as const)('is not sent for %s when the rule names only down', (to) => {
    const game = playAlert()
    game.flip(to, t0)
    game.look(t0 + hourMs)
    game.flip('operational', t0 + 2 * hourMs)
    expect(game.sent()).toEqual([])
  })

  test.each(['degraded', 'stale'] as const)(
    'is sent for an unconfirmed outage that is %s, unless the rule excludes it',
    (to) => {
      const [game, other] = [playAlert(), playAlert({ unconfirmed: false })]
      for (const each of [game, other]) {
        each.flip(to, t0, true)
        each.look(t0)
        each.flip('down', t0 + minuteMs)
        each.look(t0 + minuteMs)
        each.flip('operational', t0 + 2 * minuteMs)
      }
      expect(game.sent()).toEqual([`alert ${to}`, 'reminder down', 'recovery operational'])
      expect(other.sent()).toEqual(['alert down', 'recovery operational'])
    },
  )

  test('of an unconfirmed outage is dropped when other regions refute it', () => {
    const game = playAlert({ afterSeconds: 300 })
    game.flip('degraded', t0, true)
    game.flip('degraded', t0 + minuteMs)
    game.look(t0 + hourMs)
    expect(game.sent()).toEqual([])
  })

  test('is dropped when the check leaves the named status before afterSeconds', () => {
    const game = playAlert({ afterSeconds: 300 })
    game.flip('down', t0)
    game.flip('degraded', t0 + minuteMs)
    game.look(t0 + hourMs)
    game.flip('operational', t0 + 2 * hourMs)
    expect(game.sent()).toEqual([])
  })

  test.each(['degraded', 'stale'] as const)('is not closed by %s', (to) => {
    const game = playAlert()
    game.flip('down', t0)
    game.look(t0)
    game.flip(to, t0 + minuteMs)
    game.look(t0 + minuteMs)
    game.flip('down', t0 + 2 * minuteMs)
    game.look(t0 + 2 * minuteMs)
    expect(game.sent()).toEqual(['alert down'])
    game.flip('operational', t0 + 3 * minuteMs)
    expect(game.sent()).toEqual(['alert down', 'recovery operational'])
  })

  test('of a degraded check reports once that it went down', () => {
    const game = playAlert({ statuses: ['degraded', 'down'] })
    game.flip('degraded', t0)
    game.look(t0)
    for (const minute of [1, 2, 3]) {
      game.flip('down', t0 + minute * minuteMs)
      game.look(t0 + minute * minuteMs)
      game.flip('degraded', t0 + (minute + 0.5) * minuteMs)
    }
    expect(game.sent()).toEqual(['alert degraded', 'reminder down'])
  })
})

describe('reminders', () => {
  test('come after one hour, then at doubled intervals up to a day', () => {
    const game = playAlert()
    game.flip('down', t0)
    for (let minute = 0; minute <= 80 * 60; minute++) game.look(t0 + minute * minuteMs)
    const hours = game.notices.slice(1).map(({ atMs }) => (atMs - t0) / hourMs)
    expect(hours).toEqual([1, 3, 7, 15, 31, 55, 79])
  })

  test('that were missed are sent as one', () => {
    const game = playAlert()
    game.flip('down', t0)
    game.look(t0)
    game.look(t0 + 72 * hourMs)
    game.look(t0 + 72 * hourMs)
    expect(game.sent()).toEqual(['alert down', 'reminder down'])
  })
})

describe('maintenance', () => {
  const window = { startsAtMs: t0, endsAtMs: t0 + hourMs }

  test('holds an alert until its end', () => {
    const game = playAlert({}, [window])
    game.flip('down', t0)
    game.look(t0)
    game.look(window.endsAtMs - 1)
    expect(game.sent()).toEqual([])
    game.look(window.endsAtMs)
    game.look(window.endsAtMs + minuteMs)
    expect(game.sent()).toEqual(['alert down'])
    expect(game.notices[0]?.wasHeld).toBe(true)
  })

  test('suppresses an alert whose check recovers before the end', () => {
    const game = playAlert({}, [window])
    game.flip('down', t0 + minuteMs)
    game.look(t0 + minuteMs)
    game.flip('operational', window.endsAtMs - 1)
    game.look(window.endsAtMs)
    expect(game.sent()).toEqual([])
  })

  test('does not hold the recovery of an alert that was sent before', () => {
    const game = playAlert({}, [window])
    game.flip('down', t0 - 1)
    game.look(t0 - 1)
    game.flip('operational', t0 + minuteMs)
    expect(game.sent()).toEqual(['alert down', 'recovery operational'])
  })

  test('holds reminders', () => {
    const game = playAlert({}, [{ startsAtMs: t0 + minuteMs, endsAtMs: t0 + 3 * hourMs }])
    game.flip('down', t0)
    for (let minute = 0; minute < 180; minute++) game.look(t0 + minute * minuteMs)
    expect(game.sent()).toEqual(['alert down'])
    game.look(t0 + 3 * hourMs)
    expect(game.sent()).toEqual(['alert down', 'reminder down'])
  })
})
