import { attemptMsMaxOf } from '@probe-mesh/contracts/mesh/assignment'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Judgement } from '../judge/judgement.ts'

/** The share of a time limit from which on a standstill of ours may be why it was exceeded. */
export const heldUpShareMin = 0.2

/**
 * Failures that our own standstill can cause: limits of time, and servers that close a connection on
 * which we were silent for too long. Whatever else a target does is an answer, and counts.
 */
const causedByDelay: ReadonlySet<string> = new Set([
  'connect_timeout',
  'tls_timeout',
  'response_timeout',
  'body_timeout',
  'body_incomplete',
  'connection_closed',
  'connection_reset',
  'dns_servers_unreachable',
  'dns_timeout',
  'journey_timeout',
  'expect_timeout',
  'tcp_closed',
  'resolver_timeout',
  'resolver_tcp_failed',
  'smtp_closed',
  'smtp_timeout',
  // a page loads through a proxy in our process
  'load_timeout',
  'page_unresponsive',
  'lcp_slow',
  'lcp_missing',
  'text_mismatch',
  'title_mismatch',
  'console_error',
])

/** "Request Timeout": the server waited for our request. */
const requestTimeoutStatus = 408

/**
 * Whether a failure may be our own event loop's, which stood still for `blockedMs` of the attempt (S-808).
 * @param httpStatus what the target answered; null where it did not
 */
export const isHeldUp = (
  assignment: Pick<Assignment, 'type' | 'intervalSeconds'>,
  { cause }: Pick<Judgement, 'cause'>,
  httpStatus: number | null,
  blockedMs: number,
): boolean => {
  const mayBeOurs =
    causedByDelay.has(cause) || (cause === 'status_mismatch' && httpStatus === requestTimeoutStatus)
  return mayBeOurs && blockedMs >= heldUpShareMin * limitMsOf(assignment)
}

/** The limit that a wait of an attempt runs into first, ms. */
const limitMsOf = (assignment: Pick<Assignment, 'type' | 'intervalSeconds'>): number =>
  assignment.type === 'multistep' ? limits.stepRequestMsMax : attemptMsMaxOf(assignment)
