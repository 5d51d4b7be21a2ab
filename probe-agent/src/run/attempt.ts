import type { SecureContext } from 'node:tls'
import { attemptDeadlineMs } from '@probe-mesh/contracts/assignment'
import type { Assignment } from '@probe-mesh/contracts/assignment'
import { isOwnStatus } from '../judge/evaluate-assertions.ts'
import { judgeAttempt, needsBody } from '../judge/judge-attempt.ts'
import type { Judgement } from '../judge/judge-attempt.ts'
import type { Guard } from '../request/guard.ts'
import type { Outcome } from '../request/outcome.ts'
import { request } from '../request/request.ts'
import { startDeadline } from './deadline.ts'
import type { Handshakes } from './handshakes.ts'
import { notMeasured } from './not-measured.ts'

export type AttemptCapabilities = Guard & {
  trust: SecureContext
  handshakes: Handshakes
  /** Unix ms */
  now: () => number
  userAgent: string
}

/** One attempt as judged; `outcome` is null where it never began. */
export type Attempt = { measuredAt: number; outcome: Outcome | null; judgement: Judgement }

/**
 * Attempts an assignment once, on fresh connections. The wait for a place among the handshakes is
 * no part of it: clock and deadline start with the place.
 */
export const attempt = async (
  assignment: Assignment,
  signal: AbortSignal,
  capabilities: AttemptCapabilities,
): Promise<Attempt> => {
  const { assertions, intervalSeconds, url } = assignment
  const handshake = await capabilities.handshakes.begin(signal)
  const measuredAt = capabilities.now()
  if (typeof handshake === 'string') {
    return { measuredAt, outcome: null, judgement: notMeasured[handshake] }
  }
  const deadlineMs = attemptDeadlineMs(intervalSeconds)
  const deadline = startDeadline(deadlineMs, signal)
  try {
    const outcome = await request(
      {
        url,
        isFinal: (status) => isOwnStatus(assertions, status),
        needsBody: (status) => needsBody(assertions, status),
        signal: deadline.signal,
        deadlineMs,
        onConnected: handshake.release,
      },
      capabilities,
    )
    return { measuredAt, outcome, judgement: judgeAttempt(outcome, assignment) }
  } finally {
    deadline.clear()
    handshake.release()
  }
}
