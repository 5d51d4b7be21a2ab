import { hash } from 'node:crypto'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Sql } from '../stores/postgres/connect.ts'
import type { AttemptRule } from '@probe-mesh/contracts/account/login-rules'
import {
  deleteAttempts,
  lockAttempts,
  takeBackAttempts,
  updateAttempts,
} from './login-attempts-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import { forgottenAtMs, nextAttempt } from './attempts.ts'

/** What attempts are counted about. */
export type Subject = { text: string; rule: AttemptRule }

/** Counts attempts to log in over all processes, and says when to try again. */
export type Throttle = {
  /** Counts an attempt about each subject, or none of them: SV-6005 where one of them has to wait. */
  take(subjects: readonly Subject[]): Promise<Refusal | null>
  /** The attempt was none: it does not count. */
  takeBack(subjects: readonly Subject[]): Promise<void>
  /** Whoever owns the subject has shown it: all its attempts are forgotten. */
  forget(subject: Subject): Promise<void>
}

/** Subjects whose wait this process knows; beyond, the one known longest is asked of Postgres again. */
const blockedMax = 10_000

export const createThrottle = (capabilities: { sql: Sql; now: () => number }): Throttle => {
  const { sql, now } = capabilities
  // spares Postgres the attempts of those who do not wait
  const blocked = new Map<string, number>()

  const block = (subject: Subject, untilMs: number): void => {
    blocked.delete(subject.text)
    blocked.set(subject.text, untilMs)
    const eldest = blocked.size > blockedMax ? blocked.keys().next().value : undefined
    if (eldest !== undefined) blocked.delete(eldest)
  }

  const count = (subjects: readonly Subject[], nowMs: number): Promise<number> =>
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
    take: async (subjects) => {
      const nowMs = now()
      const remembered = subjects.map(({ text }) => (blocked.get(text) ?? 0) - nowMs)
      const knownWaitMs = Math.max(0, ...remembered)
      const waitMs = knownWaitMs > 0 ? knownWaitMs : await count(subjects, nowMs)
      if (waitMs === 0) return null
      return refuse('SV-6005', { retryAfterSeconds: Math.ceil(waitMs / 1000) })
    },
    takeBack: (subjects) => takeBackAttempts(sql, subjects.map(hashOf)),
    forget: (subject) => deleteAttempts(sql, hashOf(subject)),
  }
}

const hashOf = ({ text }: Subject): Buffer => hash('sha256', text, 'buffer')
