import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { observeExpiry, type ExpiryAlert } from './expiry.ts'

const dayMs = 86_400_000
const days = [14, 7, 1]

/** What is notified when these ends are seen, each so many days after the start. */
const eventsOf = (
  seen: readonly (readonly [atDay: number, expiresAtDay: number])[],
  named: readonly number[] = days,
): string[] => {
  let alert: ExpiryAlert | null = null
  return seen.flatMap(([atDay, expiresAtDay]) => {
    const step = observeExpiry(alert, named, expiresAtDay * dayMs, atDay * dayMs)
    alert = step.alert
    return step.event === null ? [] : [`${atDay}: ${step.event}`]
  })
}
const daily = (from: number, to: number, expiresAt: number) =>
  Array.from({ length: to - from }, (_, day) => [from + day, expiresAt] as const)

describe('something that expires', () => {
  test('is notified once for each of the days of a rule, and not after its end', () => {
    expect(eventsOf(daily(0, 40, 30))).toEqual(['16: expiring', '23: expiring', '29: expiring'])
  })

  test('with 6 days left at first is notified once, then not, and once when it is renewed', () => {
    const seen = [...daily(0, 4, 6), ...daily(4, 60, 96)]
    expect(eventsOf(seen)).toEqual(['0: expiring', '4: renewed'])
  })

  test('is notified of nothing by a rule without days', () => {
    expect(eventsOf(daily(0, 40, 30), [])).toEqual([])
  })

  test('and is renewed before is notified of nothing', () => {
    expect(eventsOf([...daily(0, 10, 30), ...daily(10, 30, 100)])).toEqual([])
  })

  test('is notified again in its next life', () => {
    const seen = [...daily(0, 27, 30), ...daily(27, 200, 117)]
    expect(eventsOf(seen)).toEqual([
      '16: expiring',
      '23: expiring',
      '27: renewed',
      '103: expiring',
      '110: expiring',
      '116: expiring',
    ])
  })

  test('whose next life is as short as what was notified is not notified at each renewal', () => {
    const seen = Array.from({ length: 30 }, (_, day) => [day, day - (day % 3) + 6] as const)
    expect(eventsOf(seen)).toEqual(['0: expiring'])
  })

  test('and is renewed for a few days only says that it is renewed, and then counts anew', () => {
    expect(eventsOf([...daily(0, 6, 6), ...daily(6, 12, 12)])).toEqual([
      '0: expiring',
      '5: expiring',
      '6: renewed',
      '11: expiring',
    ])
  })

  test('that some servers still show after it is renewed is notified at most once a day', () => {
    const hour = 1 / 24
    const seen = Array.from({ length: 72 }, (_, each) => {
      return [each * hour, each % 2 === 0 ? 6.9 : 90] as const
    })
    const events = eventsOf(seen)
    expect(events.filter((each) => each.endsWith('expiring'))).toHaveLength(1)
    expect(events.filter((each) => each.endsWith('renewed')).length).toBeLessThanOrEqual(3)
  })

  test('is never notified as renewed before it was notified as expiring, nor the same days twice in one life', () => {
    const seen = fc.array(fc.tuple(fc.nat(3), fc.constantFrom(0, 1, 60)), { maxLength: 60 })
    forAll([seen], (steps) => {
      let [at, expires, alert] = [0, 20, null as ExpiryAlert | null]
      const told: string[] = []
      for (const [pass, more] of steps) {
        at += pass
        expires += more
        const { alert: next, event } = observeExpiry(alert, days, expires * dayMs, at * dayMs)
        if (event === 'renewed') expect(alert).not.toBeNull()
        if (event === 'expiring') {
          const life = `${expires} ${next?.days}`
          expect(told).not.toContain(life)
          told.push(life)
        }
        alert = next
      }
    })
  })
})
