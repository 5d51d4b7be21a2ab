import {
  mailRule,
  unknownGuessesPerHour,
  allUnknownRule,
  type AttemptRule,
} from '@probe-mesh/contracts/account/login-rules'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import type { Attempts } from './login-attempts-store.ts'
import { forgottenAtMs, nextAttempt } from './throttle.ts'

const rule = { freeAttempts: 3, firstWaitMs: 1_000, waitMsMax: 5_000, keptMs: 3_600_000 }

/** Makes attempts as soon as allowed. @returns the wait after each */
const waits = (count: number): number[] => {
  let known: Attempts | null = null
  let nowMs = 0
  return Array.from({ length: count }, () => {
    const next = nextAttempt(known, rule, nowMs)
    if ('waitMs' in next) throw new Error('the attempt was not allowed when it was said to be')
    const waitMs = next.blockedUntilMs - nowMs
    known = next
    nowMs = next.blockedUntilMs
    return waitMs
  })
}

test('the wait doubles after the last free attempt, up to its maximum', () => {
  expect(waits(7)).toEqual([0, 0, 1_000, 2_000, 4_000, 5_000, 5_000])
})

test('an attempt during the wait is refused with the remaining wait, and does not extend it', () => {
  const known = { failures: 3, blockedUntilMs: 1_000 }
  expect(nextAttempt(known, rule, 999)).toEqual({ waitMs: 1 })
  expect(nextAttempt(known, rule, 1_000)).toEqual({ failures: 4, blockedUntilMs: 3_000 })
})

test('attempts counted out of order do not block one another', () => {
  const first = nextAttempt(null, rule, 1_000)
  if ('waitMs' in first) throw new Error('the first attempt was not allowed')
  expect(nextAttempt(first, rule, 999)).toMatchObject({ failures: 2 })
})

test('any pattern of attempts has few allowed attempts in an hour', () => {
  const hourMs = 3_600_000
  forAll([fc.array(fc.nat(2_000), { maxLength: 3_000 })], { numRuns: 30 }, (gaps) => {
    const allowed: number[] = []
    let known: Attempts | null = null
    let nowMs = 0
    for (const gap of gaps) {
      nowMs += gap
      const next = nextAttempt(known, rule, nowMs)
      if ('waitMs' in next) continue
      allowed.push(nowMs)
      known = next
    }
    for (const at of allowed) {
      const within = allowed.filter((other) => other >= at && other < at + hourMs)
      expect(within.length).toBeLessThanOrEqual(rule.freeAttempts + 3 + hourMs / rule.waitMsMax)
    }
  })
})

/** The times of attempts made as soon as allowed, with expiry as stored. */
const allowedBy = (rule: AttemptRule, gaps: readonly number[]): number[] => {
  const allowed: number[] = []
  let known: { attempts: Attempts; untilMs: number } | null = null
  let nowMs = 0
  for (const gap of gaps) {
    nowMs += gap
    const attempts = known !== null && known.untilMs > nowMs ? known.attempts : null
    const next = nextAttempt(attempts, rule, nowMs)
    if ('waitMs' in next) continue
    allowed.push(nowMs)
    known = { attempts: next, untilMs: forgottenAtMs(next, rule, nowMs) }
  }
  return allowed
}
const mostIn = (windowMs: number, allowed: readonly number[]): number =>
  Math.max(0, ...allowed.map((at) => allowed.filter((one) => one >= at && one < at + windowMs).length))

test.each([
  ['guesses of one password from unknown networks', allUnknownRule, 60, unknownGuessesPerHour],
  ['mails requested by unknown visitors', mailRule, 15, 3],
] as const)('%s stay within their limit in any window', (_what, rule, minutes, most) => {
  const windowMs = minutes * 60_000
  // at once, steadily, and in bursts after a pause longer than the expiry
  const gap = fc.oneof(fc.nat(3_000), fc.nat(windowMs / 4), fc.constantFrom(0, windowMs, 61_000))
  forAll([fc.array(gap, { maxLength: 600 })], { numRuns: 200 }, (gaps) => {
    expect(mostIn(windowMs, allowedBy(rule, gaps))).toBeLessThanOrEqual(most)
  })
})
