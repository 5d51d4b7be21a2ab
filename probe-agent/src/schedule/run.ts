import { attemptsMsMaxOf, type Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Reading, ReadingKind } from '@probe-mesh/contracts/reading/reading'

/** Which run of an assignment this is, and its abort signal. */
export type RunContext = {
  /** The scheduled or requested instant; Unix ms. */
  slot: number
  kind: ReadingKind
  /** 0 for scheduled runs. */
  number: number
  /** A trial by an account of the Free plan; default: no. */
  freeTrial?: boolean
  /** Whether the reading contains the start of the answer; default: no. */
  excerpt?: boolean
  /** Delay between slot and start, ms. */
  lateMs: number
  /** Aborts when the result is no longer needed. */
  signal: AbortSignal
}

/**
 * Measures once and judges. A target's failure is a reading, never a rejection. A rejection is a
 * bug of the run, and becomes an `unmeasured` reading.
 */
export type Run = (assignment: Assignment, context: RunContext) => Promise<Reading>

/** Limit of a round of canaries, ms. */
export const canaryTimeoutMs = 2_000

/** Limit of an inquiry about an unresolved name, ms. */
export const inquiryMsMax = 4_000

/**
 * Limit of a whole run: two attempts, their waits for a place, a name inquiry, and the canaries.
 */
export const runMsMax = (
  assignment: Pick<Assignment, 'type' | 'intervalSeconds'> & {
    timeoutSeconds?: number | undefined
  },
): number => {
  const pageMs = assignment.type === 'browser' ? limits.pageTurnMsMax : 0
  const waitMs = limits.handshakeWaitMsMax + pageMs
  return attemptsMsMaxOf(assignment) + 2 * waitMs + inquiryMsMax + canaryTimeoutMs
}
