import { randomUUID } from 'node:crypto'
import { anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { nextSlot, slotsDue } from '@probe-mesh/contracts/reading/slots'
import { limits } from '@probe-mesh/contracts/schema/limits'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { createScheduler, slotsPerWakeUp } from './scheduler.ts'

const start = 1_700_000_000_000

/** A clock and its timers: `advance` moves time normally, `step` sets the clock. */
const createClock = () => {
  let elapsed = 0
  let offset = start
  let wakeUps = 0
  const timers = new Map<symbol, { at: number; callback: () => void }>()
  return {
    now: () => elapsed + offset,
    setTimer: (delayMs: number, callback: () => void) => {
      const id = Symbol('timer')
      timers.set(id, { at: elapsed + Math.max(1, delayMs), callback })
      return () => timers.delete(id)
    },
    advance: (ms: number) => {
      const end = elapsed + ms
      for (;;) {
        const [next] = [...timers].toSorted(([, a], [, b]) => a.at - b.at)
        if (next === undefined || next[1].at > end) break
        timers.delete(next[0])
        elapsed = Math.max(elapsed, next[1].at)
        wakeUps++
        next[1].callback()
      }
      elapsed = end
    },
    /** Advances time without running anything: a blocked loop or a sleeping machine. */
    block: (ms: number) => {
      elapsed += ms
    },
    step: (ms: number) => {
      offset += ms
    },
    timers: () => timers.size,
    wakeUps: () => wakeUps,
  }
}

const open = () => {
  const clock = createClock()
  const fired: { checkId: string; slot: number; lateMs: number; revision: number }[] = []
  const scheduler = createScheduler({
    ...clock,
    onDue: ({ checkId, revision }, slot, lateMs) => {
      if (slot > clock.now()) throw new Error('a slot was handed over early')
      fired.push({ checkId, slot, lateMs, revision })
    },
  })
  const slotsOf = (checkId: string) =>
    fired.filter((each) => each.checkId === checkId).map(({ slot }) => slot)
  return { clock, fired, scheduler, slotsOf }
}

/** The slots of one revision in [fromMs, toMs), by the ledger. */
const due = ({ checkId, region, intervalSeconds }: Assignment, fromMs: number, toMs: number) =>
  slotsDue(
    checkId,
    region,
    [{ validFromMs: 0, validToMs: null, regions: [region], intervalSeconds, paused: false }],
    fromMs,
    toMs,
  )

/** An assignment whose slots are at 0, `intervalSeconds`, ... after `start` plus `phaseMs`. */
const withPhase = (intervalSeconds: number, accepts: (firstSlotMs: number) => boolean) => {
  for (;;) {
    const assignment = anAssignment({ checkId: randomUUID(), intervalSeconds })
    const [first] = due(assignment, start, start + intervalSeconds * 1_000)
    if (first !== undefined && accepts(first - start)) return assignment
  }
}

describe('the scheduler', () => {
  test('uses the phase of an assignment, from its revision on', () => {
    const { clock, scheduler, slotsOf } = open()
    const old = withPhase(10, (firstMs) => firstMs > 1_000 && firstMs < 9_000)
    const [first = 0] = due(old, start, start + 10_000)
    scheduler.put(old, { catchUp: false })
    clock.advance(10_000)
    expect(slotsOf(old.checkId)).toEqual([first])
    const given = { ...old, revision: old.revision + 1, validFrom: clock.now(), phaseMs: 9_500 }
    scheduler.put(given, { catchUp: false })
    clock.advance(20_000)
    const [from, to] = [start + 10_000, start + 30_001]
    const slots = Array.from({ length: 4 }, (_, n) => Math.floor(from / 10_000) * 10_000 + 9_500 + n * 10_000)
    const expected = slots.filter((slot) => slot >= from && slot < to)
    expect(slotsOf(old.checkId)).toEqual([first, ...expected])
  })

  test('the slots of a revision are due until the next one with other slots is valid', () => {
    forAll(
      [
        fc.record({
          phases: fc.tuple(fc.integer({ min: 0, max: 9_999 }), fc.integer({ min: 0, max: 9_999 })),
          toldMs: fc.integer({ min: 0, max: 20_000 }),
          leadMs: fc.integer({ min: 1, max: 45_000 }),
          again: fc.boolean(),
        }),
      ],
      ({ phases: [before, after], toldMs, leadMs, again }) => {
        const { clock, scheduler, slotsOf } = open()
        const old = {
          ...anAssignment({ intervalSeconds: 10 }),
          validFrom: start,
          phaseMs: before,
        }
        scheduler.put(old, { catchUp: false })
        clock.advance(toldMs)
        const validFrom = clock.now() + leadMs
        const next = { ...old, revision: old.revision + 1, validFrom, phaseMs: after }
        scheduler.put(next, { catchUp: false })
        if (again) scheduler.put({ ...next }, { catchUp: true })
        clock.advance(leadMs + 30_000)
        const slots = (phaseMs: number, fromMs: number, toMs: number) => {
          const first = nextSlot(phaseMs, 10_000, fromMs)
          const count = Math.max(0, Math.ceil((toMs - first) / 10_000))
          return Array.from({ length: count }, (_, n) => first + n * 10_000)
        }
        expect(slotsOf(old.checkId)).toEqual([
          ...slots(before, start, validFrom),
          ...slots(after, validFrom, clock.now() + 1),
        ])
      },
    )
  })

  test('keeps the phase of a revision that an older control plane resends without it', () => {
    const { clock, scheduler, slotsOf } = open()
    const given = { ...withPhase(10, (firstMs) => firstMs < 4_000), phaseMs: 5_000 }
    scheduler.put(given, { catchUp: false })
    const { phaseMs: _, ...untold } = given
    clock.advance(1_000)
    scheduler.put(untold, { catchUp: false })
    clock.advance(29_000)
    expect(slotsOf(given.checkId).map((slot) => slot % 10_000)).toEqual([5_000, 5_000, 5_000])
    scheduler.put({ ...untold, revision: given.revision + 1 }, { catchUp: false })
    clock.advance(10_000)
    const [last = 0] = slotsOf(given.checkId).slice(-1)
    expect(due(untold, last, last + 1)).toEqual([last])
  })

  test('submits every due slot exactly once, in order, through puts and removals', () => {
    const step = fc.oneof(
      fc.record({ put: fc.nat(9), intervalSeconds: fc.constantFrom(1, 2, 7, 30, 60) }),
      fc.record({ remove: fc.nat(9) }),
      fc.record({ advance: fc.integer({ min: 0, max: 40_000 }) }),
    )
    forAll([fc.array(step, { maxLength: 30 })], { numRuns: 200 }, (steps) => {
      const { clock, fired, scheduler } = open()
      const ids = Array.from({ length: 10 }, () => randomUUID())
      const live = new Map<string, { assignment: Assignment; fromMs: number }>()
      const expected: string[] = []
      const settle = (checkId: string) => {
        const known = live.get(checkId)
        if (known === undefined) return
        for (const slot of due(known.assignment, known.fromMs, clock.now() + 1)) {
          expected.push(`${checkId}:${slot}`)
        }
        live.delete(checkId)
      }
      let revision = 0
      for (const each of steps) {
        if ('put' in each) {
          const checkId = ids[each.put] ?? ''
          const { intervalSeconds } = each
          const validFrom = clock.now() + 1
          revision++
          const assignment = anAssignment({ checkId, intervalSeconds, validFrom, revision })
          const known = live.get(checkId)
          scheduler.put(assignment, { catchUp: true })
          if (known?.assignment.intervalSeconds === intervalSeconds) continue
          settle(checkId)
          live.set(checkId, { assignment, fromMs: validFrom })
        } else if ('remove' in each) {
          settle(ids[each.remove] ?? '')
          scheduler.remove(ids[each.remove] ?? '')
        } else {
          clock.advance(each.advance)
        }
      }
      expect(scheduler.size).toBe(live.size)
      for (const checkId of live.keys()) settle(checkId)
      expect(fired.map(({ checkId, slot }) => `${checkId}:${slot}`).toSorted()).toEqual(expected.toSorted())
      expect(fired.map(({ slot }) => slot)).toEqual(fired.map(({ slot }) => slot).toSorted((a, b) => a - b))
      expect(clock.timers()).toBeLessThanOrEqual(1)
      expect(scheduler.skipped()).toBe(0)
    })
  })

  test('a new revision with the same interval keeps the next slot and runs as the new one', () => {
    const { clock, fired, scheduler } = open()
    const assignment = withPhase(60, () => true)
    scheduler.put(assignment, { catchUp: true })
    clock.advance(30_000)
    const validFrom = clock.now()
    scheduler.put({ ...assignment, revision: 2, validFrom }, { catchUp: true })
    scheduler.put({ ...assignment, revision: 1 }, { catchUp: true })
    clock.advance(90_000)
    expect(fired.map(({ slot }) => slot)).toEqual(due(assignment, start, start + 120_001))
    expect(fired.at(-1)?.revision).toBe(2)
  })

  test('a new revision catches up for 5 s, and not before it was valid', () => {
    const { clock, scheduler, slotsOf } = open()
    const made = withPhase(60, (firstMs) => firstMs > 55_000)
    const old = withPhase(60, (firstMs) => firstMs > 50_000 && firstMs < 54_999)
    const invalid = withPhase(60, (firstMs) => firstMs > 55_000)
    clock.advance(60_000)
    scheduler.put({ ...made, validFrom: start }, { catchUp: true })
    scheduler.put({ ...old, validFrom: start }, { catchUp: true })
    scheduler.put({ ...invalid, validFrom: start + 60_000 }, { catchUp: true })
    clock.advance(10)
    expect(slotsOf(made.checkId)).toEqual(due(made, start, start + 60_000))
    expect(slotsOf(old.checkId)).toEqual([])
    expect(slotsOf(invalid.checkId)).toEqual(due(invalid, start + 60_000, start + 60_011))
  })

  test.each([
    [-3_000, 3_000],
    [-30_000, 5_000],
    [1, 0],
  ])('slots since %i ms are caught up for at most 5 s: %i ms', (sinceMs, madeUpMs) => {
    const { clock, scheduler, slotsOf } = open()
    const checks = Array.from({ length: 300 }, () => withPhase(60, () => true))
    clock.advance(60_000)
    const since = clock.now() + sinceMs
    for (const each of checks) {
      scheduler.put({ ...each, validFrom: start }, { catchUp: true, since })
    }
    clock.advance(100)
    for (const each of checks) {
      // slots due at the last instant have run as well
      const expected = due(each, start + 60_000 - madeUpMs, clock.now() + 1)
      expect(slotsOf(each.checkId)).toEqual(expected)
    }
  })

  test('after a restart nothing older than now runs', () => {
    const { clock, scheduler, slotsOf } = open()
    const assignment = withPhase(60, (firstMs) => firstMs > 55_000 && firstMs < 59_000)
    clock.advance(60_000)
    scheduler.put({ ...assignment, validFrom: start }, { catchUp: false })
    clock.advance(50_000)
    expect(slotsOf(assignment.checkId)).toEqual([])
    clock.advance(10_000)
    expect(slotsOf(assignment.checkId)).toHaveLength(1)
  })

  test('a blocked loop delays slots and loses none', () => {
    const { clock, fired, scheduler, slotsOf } = open()
    const assignment = withPhase(1, () => true)
    scheduler.put(assignment, { catchUp: true })
    clock.advance(2_000)
    clock.block(30_000)
    clock.advance(2_000)
    expect(slotsOf(assignment.checkId)).toEqual(due(assignment, start, start + 34_001))
    expect(Math.max(...fired.map(({ lateMs }) => lateMs))).toBeGreaterThan(28_000)
    expect(scheduler.skipped()).toBe(0)
  })

  test('an assignment released in a blocked loop leaves no due slot behind, a removed one leaves all', () => {
    const { clock, scheduler, slotsOf } = open()
    const released = withPhase(1, () => true)
    const removed = withPhase(1, () => true)
    for (const each of [released, removed]) scheduler.put(each, { catchUp: true })
    clock.advance(2_000)
    clock.block(3_000)
    for (const _ of [1, 2]) scheduler.release(released.checkId)
    scheduler.remove(removed.checkId)
    clock.advance(5_000)
    expect(slotsOf(released.checkId)).toEqual(due(released, start, start + 5_001))
    expect(slotsOf(removed.checkId)).toEqual(due(removed, start, start + 2_001))
    expect(scheduler.size).toBe(0)
  })

  test('a clock put forward, or a sleeping machine, skips old slots and counts them', () => {
    const { clock, scheduler, slotsOf } = open()
    // a slot exactly at the start would add a fifth and a sixth
    const assignment = withPhase(10, (firstMs) => firstMs > 0)
    scheduler.put(assignment, { catchUp: true })
    clock.advance(20_000)
    clock.step(3_600_000)
    clock.advance(20_000)
    const skippedSlots = due(assignment, start, start + 3_640_001).length
    expect(slotsOf(assignment.checkId).length + scheduler.skipped()).toBe(skippedSlots)
    expect(slotsOf(assignment.checkId)).toHaveLength(4)
    expect(new Set(slotsOf(assignment.checkId)).size).toBe(4)
  })

  test('a clock put back by the tolerated skew runs no slot twice', () => {
    const { clock, scheduler, slotsOf } = open()
    const assignment = withPhase(10, () => true)
    scheduler.put(assignment, { catchUp: true })
    clock.advance(400_000)
    clock.step(-limits.clockSkewMsMax)
    clock.advance(160_000)
    const slots = slotsOf(assignment.checkId)
    expect(slots).toEqual(due(assignment, start, start + 560_001 - limits.clockSkewMsMax))
    expect(clock.wakeUps()).toBeLessThan(2_000)
  })

  test('a clock put back by an hour continues from there and does not spin', () => {
    const { clock, scheduler, slotsOf } = open()
    // no slot within the second in which the step may go unnoticed
    const afterTheStep = (phaseMs: number) => phaseMs > 1_000
    const assignment = { ...withPhase(10, afterTheStep), validFrom: 0 }
    scheduler.put(assignment, { catchUp: true })
    clock.advance(20_000)
    clock.step(-3_600_000)
    const before = slotsOf(assignment.checkId).length
    clock.advance(60_000)
    expect(slotsOf(assignment.checkId).slice(before)).toEqual(
      due(assignment, start - 3_580_000, start - 3_519_999),
    )
    expect(clock.wakeUps()).toBeLessThan(200)
  })

  test('hands over a bounded number a wake-up, so that a herd does not hold the loop', () => {
    const { clock, fired, scheduler } = open()
    const perWakeUp: number[] = []
    const setTimer = clock.setTimer
    clock.setTimer = (delayMs, callback) =>
      setTimer(delayMs, () => {
        const before = fired.length
        callback()
        perWakeUp.push(fired.length - before)
      })
    const herd = createScheduler({
      ...clock,
      onDue: ({ checkId, revision }, slot, lateMs) => fired.push({ checkId, slot, lateMs, revision }),
    })
    for (let n = 0; n < 1_000; n++)
      herd.put(
        withPhase(60, (firstMs) => firstMs > 0),
        { catchUp: false },
      )
    clock.block(59_000)
    clock.advance(1_000)
    expect(fired).toHaveLength(1_000)
    expect(Math.max(...perWakeUp)).toBe(slotsPerWakeUp)
    herd.close()
    scheduler.close()
  })

  test('a handler that throws does not stop the scheduler', () => {
    const clock = createClock()
    let calls = 0
    const scheduler = createScheduler({
      ...clock,
      onDue: () => {
        calls++
        throw new Error('a bug')
      },
    })
    scheduler.put(
      withPhase(1, () => true),
      { catchUp: true },
    )
    for (let n = 0; n < 5; n++) expect(() => clock.advance(1_000)).toThrow('a bug')
    expect(calls).toBe(5)
  })

  test('is silent once closed', () => {
    const { clock, fired, scheduler } = open()
    scheduler.put(
      withPhase(1, () => true),
      { catchUp: true },
    )
    clock.advance(3_000)
    const before = fired.length
    scheduler.close()
    clock.advance(3_000)
    expect(fired).toHaveLength(before)
    expect(clock.timers()).toBe(0)
  })
})
