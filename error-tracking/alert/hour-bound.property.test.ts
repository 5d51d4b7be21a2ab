import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import {
  addNotice,
  namedMax,
  newBound,
  afterDigest,
  digestAtMs,
  singlesPerHourMax,
  waitingCount,
  type ErrorNotice,
  type HourBound,
} from './hour-bound.ts'

const hourMs = 3_600_000
const startMs = Date.parse('2026-11-20T12:00:00.000Z')
const aNotice = (issueId: string): ErrorNotice => ({ kind: 'new_issue', projectId: 'p', issueId })

const addMany = (bound: HourBound, count: number, nowMs: number) => {
  let [left, singles] = [bound, 0]
  for (let index = 0; index < count; index++) {
    const step = addNotice(left, aNotice(`i${index}`), nowMs)
    left = step.bound
    if (step.isSingle) singles++
  }
  return { bound: left, singles }
}

test('sends ten single messages; the eleventh notice waits for the end of the hour', () => {
  const full = addMany(newBound, singlesPerHourMax, startMs)
  expect(full).toMatchObject({ singles: singlesPerHourMax, bound: { waiting: null } })
  expect(digestAtMs(full.bound)).toBeNull()
  const more = addNotice(full.bound, aNotice('late'), startMs + hourMs - 1)
  expect(more.isSingle).toBe(false)
  expect(waitingCount(more.bound)).toBe(1)
  expect(digestAtMs(more.bound)).toBe(startMs + hourMs)
  // 1 ms later a new hour starts
  expect(addNotice(full.bound, aNotice('next'), startMs + hourMs).isSingle).toBe(true)
  // while a notice waits, later ones wait too
  expect(addNotice(more.bound, aNotice('next'), startMs + 2 * hourMs).isSingle).toBe(false)
  const after = addMany(afterDigest(startMs + hourMs), singlesPerHourMax, startMs + hourMs)
  expect(after.singles).toBe(singlesPerHourMax - 1)
})

test('sends each notice as a single message or counts it in a digest', () => {
  const step = fc.record({
    afterMs: fc.nat(hourMs / 4),
    kind: fc.constantFrom('new_issue', 'regression', 'spike'),
  })
  forAll([fc.array(step, { maxLength: 120 })], (steps) => {
    let [bound, nowMs] = [newBound, startMs]
    let [singles, inDigests] = [0, 0]
    const messages: number[] = []
    for (const { afterMs, kind } of steps) {
      nowMs += afterMs
      const due = digestAtMs(bound)
      if (due !== null && due <= nowMs) {
        inDigests += waitingCount(bound)
        messages.push(nowMs)
        bound = afterDigest(nowMs)
      }
      const next = addNotice(bound, { ...aNotice('i'), kind: kind as ErrorNotice['kind'] }, nowMs)
      bound = next.bound
      if (next.isSingle) {
        singles++
        messages.push(nowMs)
      }
      expect(bound.waiting?.first.length ?? 0).toBeLessThanOrEqual(namedMax)
    }
    expect(singles + inDigests + waitingCount(bound)).toBe(steps.length)
    // any 60 minutes overlap at most two hours of the limit
    for (const at of messages) {
      const within = messages.filter((other) => other >= at && other < at + hourMs)
      expect(within.length).toBeLessThanOrEqual(2 * singlesPerHourMax)
    }
  })
})
