import { hash } from 'node:crypto'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Sql } from '../stores/postgres/connect.ts'
import type { AttemptRule } from '@probe-mesh/contracts/account/login-rules'
import {
  deleteAttempts,
  lockAttempts,
  uncountAttempts,
  updateAttempts,
  type Attempts,
} from './login-attempts-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import { backoffMs } from '@probe-mesh/runtime/backoff'

/** A subject whose attempts are counted. */
export type Subject = { text: string; rule: AttemptRule }

/** Counts login attempts over all processes. */
export type Throttle = {
  /** Counts an attempt for each subject, or for none: SV-6005 if one of them has to wait. */
  count(subjects: readonly Subject[]): Promise<Refusal | null>
  /** Removes an attempt that succeeded or did not happen. */
  uncount(subjects: readonly Subject[]): Promise<void>
  /** Deletes all attempts of a subject after a correct password. */
  reset(subject: Subject): Promise<void>
}

/** The most blocked subjects in memory. Beyond this the oldest is read from Postgres again. */
const blockedMax = 10_000

export const createThrottle = (capabilities: { sql: Sql; now: () => number }): Throttle => {
  const { sql, now } = capabilities
  // keeps attempts of blocked subjects away from Postgres
  const blocked = new Map<string, number>()

  const block = (subject: Subject, untilMs: number): void => {
    blocked.delete(subject.text)
    blocked.set(subject.text, untilMs)
    const eldest = blocked.size > blockedMax ? blocked.keys().next().value : undefined
    if (eldest !== undefined) blocked.delete(eldest)
  }

  const countInDatabase = (subjects: readonly Subject[], nowMs: number): Promise<number> =>
    transact(sql, async (tx) => {
      const hashes = subjects.map(hashOf)
      const known = await lockAttempts(tx, hashes, nowMs)
      const next = subjects.map(({ rule }, at) => nextAttempt(known[at] ?? null, rule, nowMs))
      let waitMs = 0
      for (const [at, subject] of subjects.entries()) {
        const attempt = next[at]
        if (attempt === undefined || !('waitMs' in attempt)) continue
        block(subject, nowMs + attempt.waitMs)
        waitMs = Math.max(waitMs, attempt.waitMs)
      }
      if (waitMs > 0) return waitMs
      const counted = subjects.flatMap(({ rule }, at) => {
        const [attempts, subject] = [next[at], hashes[at]]
        if (attempts === undefined || subject === undefined || 'waitMs' in attempts) return []
        return [{ subject, attempts, expiresAtMs: forgottenAtMs(attempts, rule, nowMs) }]
      })
      await updateAttempts(tx, counted)
      return 0
    })

  return {
    count: async (subjects) => {
      const nowMs = now()
      const remembered = subjects.map(({ text }) => (blocked.get(text) ?? 0) - nowMs)
      const knownWaitMs = Math.max(0, ...remembered)
      const waitMs = knownWaitMs > 0 ? knownWaitMs : await countInDatabase(subjects, nowMs)
      if (waitMs === 0) return null
      return refuse('SV-6005', { retryAfterSeconds: Math.ceil(waitMs / 1000) })
    },
    uncount: (subjects) => uncountAttempts(sql, subjects.map(hashOf)),
    reset: (subject) => deleteAttempts(sql, hashOf(subject)),
  }
}

const hashOf = ({ text }: Subject): Buffer => hash('sha256', text, 'buffer')

/**
 * Counts the next attempt on a subject. It counts as a failure until it succeeds, so that concurrent attempts
 * count like consecutive ones.
 * @param known null without earlier attempts
 * @returns the attempts including this one, or the milliseconds until one is allowed
 */
export const nextAttempt = (
  known: Attempts | null,
  rule: AttemptRule,
  nowMs: number,
): Attempts | { waitMs: number } => {
  if (known !== null && known.blockedUntilMs > nowMs) {
    return { waitMs: known.blockedUntilMs - nowMs }
  }
  const failures = (known?.failures ?? 0) + 1
  const excess = failures - rule.freeAttempts
  const waitMs = excess < 0 ? 0 : backoffMs({ firstMs: rule.firstWaitMs, maxMs: rule.waitMsMax }, excess + 1)
  // 0 also allows an attempt that came a moment earlier and is counted later
  return { failures, blockedUntilMs: waitMs === 0 ? 0 : nowMs + waitMs }
}

/** When the count of attempts expires if there is no further one. */
export const forgottenAtMs = ({ blockedUntilMs }: Attempts, { keptMs }: AttemptRule, nowMs: number): number =>
  Math.max(nowMs, blockedUntilMs) + keptMs
