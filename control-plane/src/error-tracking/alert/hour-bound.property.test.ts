import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ErrorNews } from './hour-bound.ts'
import { admit, namedMax, newBound, released, tellAtMs, toldPerHourMax, waitingCount } from './hour-bound.ts'
import type { HourBound } from './hour-bound.ts'

const hourMs = 3_600_000
const startMs = Date.parse('2026-11-20T12:00:00.000Z')
const aNews = (issueId: string): ErrorNews => ({ kind: 'new_issue', projectId: 'p', issueId })

const admitMany = (bound: HourBound, count: number, nowMs: number) => {
  let [left, alone] = [bound, 0]
  for (let index = 0; index < count; index++) {
    const step = admit(left, aNews(`i${index}`), nowMs)
    left = step.bound
    if (step.alone) alone++
  }
  return { bound: left, alone }
}

test('sends ten single notifications; the eleventh waits for the end of the hour', () => {
  const full = admitMany(newBound, toldPerHourMax, startMs)
  expect(full).toMatchObject({ alone: toldPerHourMax, bound: { waiting: null } })
  expect(tellAtMs(full.bound)).toBeNull()
  const more = admit(full.bound, aNews('late'), startMs + hourMs - 1)
  expect(more.alone).toBe(false)
  expect(waitingCount(more.bound)).toBe(1)
  expect(tellAtMs(more.bound)).toBe(startMs + hourMs)
  // the just-invalid neighbour: a new hour
  expect(admit(full.bound, aNews('next'), startMs + hourMs).alone).toBe(true)
  // what follows while something waits waits as well
  expect(admit(more.bound, aNews('next'), startMs + 2 * hourMs).alone).toBe(false)
  const after = admitMany(released(startMs + hourMs), toldPerHourMax, startMs + hourMs)
  expect(after.alone).toBe(toldPerHourMax - 1)
})

test('each admitted event is notified alone or counted in the summary', () => {
  const step = fc.record({
    afterMs: fc.nat(hourMs / 4),
    kind: fc.constantFrom('new_issue', 'regression', 'spike'),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      let [bound, nowMs] = [newBound, startMs]
      let [alone, gathered] = [0, 0]
      const messages: number[] = []
      for (const { afterMs, kind } of steps) {
        nowMs += afterMs
        const due = tellAtMs(bound)
        if (due !== null && due <= nowMs) {
          gathered += waitingCount(bound)
          messages.push(nowMs)
          bound = released(nowMs)
        }
        const next = admit(bound, { ...aNews('i'), kind: kind as ErrorNews['kind'] }, nowMs)
        bound = next.bound
        if (next.alone) {
          alone++
          messages.push(nowMs)
        }
        expect(bound.waiting?.first.length ?? 0).toBeLessThanOrEqual(namedMax)
      }
      expect(alone + gathered + waitingCount(bound)).toBe(steps.length)
      // never more than two hours' worth in any hour, since hours begin with what is told
      for (const at of messages) {
        const within = messages.filter((other) => other >= at && other < at + hourMs)
        expect(within.length).toBeLessThanOrEqual(2 * toldPerHourMax)
      }
    }),
  )
})
