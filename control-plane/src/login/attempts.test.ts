import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Attempts } from '../postgres/login-attempts.ts'
import { nextAttempt } from './attempts.ts'

const rule = { freeAttempts: 3, firstWaitMs: 1_000, waitMsMax: 5_000 }

/** Attempts as soon as each is allowed. @returns the wait after each */
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

test('the wait doubles from the last free attempt on, up to its longest', () => {
  expect(waits(7)).toEqual([0, 0, 1_000, 2_000, 4_000, 5_000, 5_000])
})

test('an attempt during the wait is refused with what is left of it, and does not lengthen it', () => {
  const known = { failures: 3, blockedUntilMs: 1_000 }
  expect(nextAttempt(known, rule, 999)).toEqual({ waitMs: 1 })
  expect(nextAttempt(known, rule, 1_000)).toEqual({ failures: 4, blockedUntilMs: 3_000 })
})

test('however attempts come, few of them are allowed in any hour', () => {
  const hourMs = 3_600_000
  fc.assert(
    fc.property(fc.array(fc.nat(2_000), { maxLength: 3_000 }), (gaps) => {
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
    }),
    { numRuns: 30 },
  )
})
