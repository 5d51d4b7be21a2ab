import { defaultStatusRule, type StatusRule } from '@probe-mesh/contracts/check/status-rule'
import { describe, expect, test } from 'vitest'
import { play, readingAt } from './testing.ts'

const t0 = 1_700_000_000_000
const regions = ['iad', 'sjc', 'fra', 'nrt']
const slotMs = 60_000

/** A check under a rule; each call is one slot of every region: its latency, `busy` without one, or null for a failure. */
const checkWith = (statusRule: Partial<StatusRule>) => {
  const schedule = { regions, intervalSeconds: 60, statusRule: { ...defaultStatusRule, ...statusRule } }
  const game = play(schedule)
  let nowMs = t0
  return {
    ...game,
    rule: (next: Partial<StatusRule>): void => {
      schedule.statusRule = { ...defaultStatusRule, ...next }
    },
    slot: (...latencies: (number | 'busy' | null)[]): string => {
      nowMs += slotMs
      for (const [at, told] of latencies.entries()) {
        const latencyMs = told === 'busy' ? null : told
        game.observe(readingAt(regions[at] ?? '', told === null ? 'down' : 'up', nowMs, { latencyMs }))
      }
      return game.state().status
    },
  }
}

describe('the reason of a status', () => {
  test('says how many regions fail, whatever number decides', () => {
    const { slot, changes } = checkWith({ failingRegions: 'any', failures: 2 })
    slot(100, 100, 100, 100)
    expect(slot(null, 100, 100, 100)).toBe('operational')
    expect(slot(null, 100, 100, 100)).toBe('down')
    expect(changes.at(-1)?.reason).toBe('1 of 4 regions fail (iad): down for the test')
  })

  test('says that down cannot be reached where fewer regions may vote than it needs', () => {
    const { slot, observe, state } = checkWith({ failingRegions: 4 })
    slot(100, 100, 100, 100)
    for (let each = 2; each < 5; each++) {
      observe(readingAt('nrt', 'blocked', t0 + each * slotMs - 1_000))
      expect(slot(null, null, null)).toBe('degraded')
    }
    expect(state().statusReason).toBe(
      '3 of 3 regions fail (iad, sjc, fra): down for the test; down needs 4 regions, and only 3 of 4 can judge (nrt: refused)',
    )
  })

  test('names the slow regions and the limit', () => {
    const { slot, changes } = checkWith({ slowMs: 1_500 })
    slot(1_600, 1_600, 1_600, 100)
    expect(slot(1_600, 1_600, 1_600, 100)).toBe('degraded')
    expect(changes.at(-1)?.reason).toBe(
      '3 of 4 regions are slow (iad, sjc, fra): over 1,500 ms in two readings in a row',
    )
  })
})

describe('a latency limit', () => {
  test('counts where most regions that are up are over it twice in a row, and ends with the majority', () => {
    const { slot } = checkWith({ slowMs: 500 })
    expect(slot(900, 900, 900, 900)).toBe('operational')
    expect(slot(900, 900, 400, 400)).toBe('operational')
    expect(slot(900, 900, 900, 400)).toBe('operational')
    expect(slot(900, 900, 900, 400)).toBe('degraded')
    expect(slot(900, 900, 500, 400)).toBe('operational')
  })

  test('a reading without a latency is neither slow nor fast: it begins, ends and interrupts nothing', () => {
    const { slot, changes } = checkWith({ slowMs: 500 })
    slot(900, 900, 900, 100)
    expect(slot('busy', 'busy', 'busy', 'busy')).toBe('operational')
    expect(slot(900, 900, 900, 100)).toBe('degraded')
    for (let each = 0; each < 5; each++) expect(slot('busy', 'busy', 'busy', 'busy')).toBe('degraded')
    expect(slot(900, 'busy', 900, 100)).toBe('degraded')
    expect(changes.map(({ to }) => to)).toEqual(['operational', 'degraded'])
    expect(slot(900, 'busy', 400, 100)).toBe('operational')
    for (let each = 0; each < 5; each++) expect(slot('busy', 'busy', 400, 100)).toBe('operational')
  })

  test('that was raised above the last latency that is known ends with the next reading, also without one', () => {
    const { slot, rule } = checkWith({ slowMs: 500 })
    for (let each = 0; each < 2; each++) slot(900, 900, 900, 900)
    expect(slot('busy', 'busy', 'busy', 'busy')).toBe('degraded')
    rule({ slowMs: 5_000 })
    expect(slot('busy', 'busy', 'busy', 'busy')).toBe('operational')
  })

  test('is no failure: a slow check is never down', () => {
    const { slot, changes } = checkWith({ slowMs: 500, failingRegions: 'any', failures: 1 })
    for (let each = 0; each < 5; each++) slot(9_000, 9_000, 9_000, 9_000)
    expect(changes.map(({ to }) => to)).toEqual(['operational', 'degraded'])
  })

  test('does not judge regions that fail', () => {
    const { slot } = checkWith({ slowMs: 500, failingRegions: 'all' })
    for (let each = 0; each < 3; each++) slot(null, null, null, 900)
    expect(slot(null, null, null, 900)).toBe('degraded')
  })
})

test('with one failure an answered one counts at once, and one without an answer waits to be confirmed', () => {
  const { slot } = checkWith({ failingRegions: 'any', failures: 1 })
  slot(100, 100, 100, 100)
  expect(slot(100, null, 100, 100)).toBe('down')
  const other = checkWith({ failingRegions: 'any', failures: 1 })
  other.slot(100, 100, 100, 100)
  const silent = { cause: 'connect_timeout', httpStatus: null }
  other.observe(readingAt('iad', 'down', t0 + 2 * slotMs, silent))
  other.pass(t0 + 2 * slotMs + 40_000)
  expect(other.state().status).toBe('operational')
})
