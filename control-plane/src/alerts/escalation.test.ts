import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import type { HoldingWindow } from '../maintenance/maintenance-hold.ts'
import { escalateAlert, escalationDueMs } from './escalate-alerts.ts'
import { escalate, targetsOf, type EscalationState, type Policy } from './escalation.ts'
import { playAlert } from './testing.ts'

const minuteMs = 60_000
const t0 = Date.parse('2026-11-20T12:00:00Z')
const level = (afterMinutes: number, ...userIds: string[]) => ({
  afterMinutes,
  userIds,
  scheduleIds: [],
  channelIds: [],
})
const policy = (more: Partial<Policy> = {}): Policy => ({
  id: 'p',
  name: 'night',
  levels: [level(0, 'ada'), level(5, 'bob'), level(15, 'cas')],
  repeats: 1,
  repeatAfterMinutes: 30,
  ...more,
})

/** Looks at these minutes. @returns `minute round.level: who` */
const play = (
  of: Policy,
  minutes: readonly number[],
  reachable = (id: string) => id !== 'nobody',
): string[] => {
  let state: EscalationState | null = null
  const seen: string[] = []
  for (const minute of minutes) {
    const nowMs = t0 + minute * minuteMs
    const step = escalate(state, of, (each) => targetsOf(each, new Map(), reachable, nowMs), nowMs)
    state = JSON.parse(JSON.stringify(step.state))
    for (const { round, level, receiverIds } of step.reached) {
      seen.push(`${minute} ${round}.${level}: ${receiverIds.join(' ')}`)
    }
  }
  return seen
}
const everyMinute = Array.from({ length: 200 }, (_, minute) => minute)

describe('an escalation', () => {
  test('reaches the first level at once, the others at their time, and repeats the whole', () => {
    expect(play(policy(), everyMinute)).toEqual([
      '0 0.0: ada',
      '5 0.1: bob',
      '15 0.2: cas',
      '45 1.0: ada',
      '50 1.1: bob',
      '60 1.2: cas',
    ])
  })

  test('passes over a level that reaches no one, at once', () => {
    const levels = [level(0, 'nobody'), level(5, 'nobody'), level(15, 'cas'), level(20, 'ada')]
    expect(play(policy({ levels, repeats: 0 }), everyMinute)).toEqual([
      '0 0.0: ',
      '0 0.1: ',
      '0 0.2: cas',
      '5 0.3: ada',
    ])
  })

  test('that reaches no one at all ends, and does not spin', () => {
    const levels = [level(0, 'nobody'), level(5, 'nobody')]
    expect(play(policy({ levels, repeats: 2 }), everyMinute)).toEqual([
      '0 0.0: ',
      '0 0.1: ',
      '30 1.0: ',
      '30 1.1: ',
      '60 2.0: ',
      '60 2.1: ',
    ])
  })

  test('that is late gives each level its time', () => {
    expect(play(policy({ repeats: 0 }), [0, 12, 13, 20, 22])).toEqual([
      '0 0.0: ada',
      '12 0.1: bob',
      '22 0.2: cas',
    ])
  })

  test('begins again when the rule names another policy', () => {
    const first = escalate(null, policy(), () => ({ receiverIds: ['ada'], gaps: [] }), t0)
    const other = escalate(
      first.state,
      policy({ id: 'q' }),
      () => ({ receiverIds: ['bob'], gaps: [] }),
      t0 + 1,
    )
    expect(other.reached).toMatchObject([{ round: 0, level: 0 }])
    expect(other.state.told).toEqual(['ada', 'bob'])
  })
})

test('a level names the member on call, and says which schedule has none', () => {
  const everyDay = { handOver: '09:00', length: 1, unit: 'days', weekdays: [1, 2, 3, 4, 5, 6, 7] } as const
  const rotation = (name: string, startDate: string) => ({
    name,
    timeZone: 'UTC',
    layers: [{ ...everyDay, weekdays: [...everyDay.weekdays], userIds: ['ada', 'bob'], startDate }],
    overrides: [],
  })
  const schedules = new Map([
    ['s', rotation('Primary', '2026-11-20')],
    ['later', rotation('Later', '2027-01-01')],
  ])
  const both = { afterMinutes: 0, userIds: ['ada', 'gone'], scheduleIds: ['s', 'later'], channelIds: ['c'] }
  const isKnown = (id: string) => id !== 'gone'
  expect(targetsOf(both, schedules, isKnown, t0)).toEqual({ receiverIds: ['ada', 'c'], gaps: ['Later'] })
  expect(targetsOf(both, schedules, isKnown, t0 + 24 * 60 * minuteMs)).toEqual({
    receiverIds: ['ada', 'c', 'bob'],
    gaps: ['Later'],
  })
})

test('whenever it is looked at, each level of each round is reached once and in order, none before its time', () => {
  const any = fc.record({
    delays: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 9 }),
    repeats: fc.integer({ min: 0, max: 9 }),
    repeatAfterMinutes: fc.integer({ min: 1, max: 60 }),
    waits: fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 400 }),
  })
  forAll([any], { numRuns: 500 }, ({ delays, repeats, repeatAfterMinutes, waits }) => {
    const levels = [level(0, 'a')]
    for (const delay of delays) levels.push(level((levels.at(-1)?.afterMinutes ?? 0) + delay, 'a'))
    const of = policy({ levels, repeats, repeatAfterMinutes })
    let minute = 0
    const minutes = waits.map((wait) => (minute += wait))
    const seen = play(of, minutes).map((line) => {
      const [, at = '', round = '', index = ''] = /^(\d+) (\d+)\.(\d+):/.exec(line) ?? []
      return { at: Number(at), place: Number(round) * levels.length + Number(index) }
    })
    expect(seen.map(({ place }) => place)).toEqual(seen.map((_, index) => index))
    expect(seen.length).toBeLessThanOrEqual((repeats + 1) * levels.length)
    for (const [index, { at, place }] of seen.entries()) {
      const last = seen[index - 1]
      if (last === undefined) continue
      const gap =
        place % levels.length === 0 ? repeatAfterMinutes : (delays[(place % levels.length) - 1] ?? 0)
      expect(at - last.at).toBeGreaterThanOrEqual(gap)
    }
  })
})

test('an alert that is taken, ended, snoozed or held by maintenance reaches no level and is due for none', () => {
  const game = playAlert()
  game.flip('down', t0)
  game.look(t0)
  const alert = game.alert()
  if (alert === null) throw new Error('no alert is open')
  const found = {
    policies: new Map([['p', { ...policy(), accountId: 'a', levels: [level(0, 'ada'), level(5, 'bob')] }]]),
    schedules: new Map(),
    known: new Set(['ada', 'bob']),
  }
  const look = (of: typeof alert, minute: number, windows: HoldingWindow[] = []) =>
    escalateAlert(of, { escalationId: 'p' }, found, windows, t0 + minute * minuteMs)
  const begun = look(alert, 0)
  expect(begun.reached).toMatchObject([{ level: 0, receiverIds: ['ada'] }])
  expect(escalationDueMs(begun.alert)).toBe(t0 + 5 * minuteMs)
  expect(look(begun.alert, 6).reached).toMatchObject([{ level: 1, receiverIds: ['bob'] }])
  const act = { by: 'ada', atMs: t0 }
  for (const taken of [{ acknowledged: act }, { resolved: act }]) {
    expect(look({ ...begun.alert, ...taken }, 6).reached).toEqual([])
    expect(escalationDueMs({ ...begun.alert, ...taken })).toBeNull()
  }
  const snoozed = { ...begun.alert, snoozedUntilMs: t0 + 10 * minuteMs }
  expect([look(snoozed, 6).reached, escalationDueMs(snoozed)]).toEqual([[], t0 + 10 * minuteMs])
  const window = { startsAtMs: t0, endsAtMs: t0 + 10 * minuteMs }
  expect(look(begun.alert, 6, [window]).reached).toEqual([])
})
