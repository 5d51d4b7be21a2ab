import { attemptsMsMaxOf } from '@probe-mesh/contracts/mesh/assignment'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Reading, ReadingKind } from '@probe-mesh/contracts/reading/reading'

/** Which run of an assignment this is, and until when it is wanted. */
export type RunContext = {
  /** The scheduled instant, or the instant asked for; Unix ms. */
  slot: number
  kind: ReadingKind
  /** 0 for scheduled runs. */
  number: number
  /** A trial of an account that pays nothing; absent is no. */
  freeTrial?: boolean
  /** How late the run begins after its slot, ms. */
  lateMs: number
  /** Aborts when the result is no longer wanted. */
  signal: AbortSignal
}

/**
 * Measures once and judges. A target's failure is a reading, never a rejection; a rejection is a
 * bug of the run, and becomes an `unmeasured` reading.
 */
export type Run = (assignment: Assignment, context: RunContext) => Promise<Reading>

/** How long a round of canaries may take, ms. */
export const canaryTimeoutMs = 2_000

/** How long it may take to find out why a name is not resolved, ms. */
export const inquiryMsMax = 4_000

/** The longest that a run can take: two attempts, their waits for a place, a name's inquiry, and the canaries. */
export const runMsMax = (
  assignment: Pick<Assignment, 'type' | 'intervalSeconds'> & {
    timeoutSeconds?: number | undefined
  },
): number => {
  const pageMs = assignment.type === 'browser' ? limits.pageTurnMsMax : 0
  const waitMs = limits.handshakeWaitMsMax + pageMs
  return attemptsMsMaxOf(assignment) + 2 * waitMs + inquiryMsMax + canaryTimeoutMs
}
