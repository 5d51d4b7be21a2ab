import { within } from '../../request/failure.ts'
import type { Failure } from '../../request/outcome.ts'

/** How a resolver fails that is the target itself; of the agent's own these are never told. */

const target = (cause: string, reason: string): Failure => ({ cause, fault: 'target', reason })

/** @param ignored datagrams that came and were no answer */
export const resolverSilent = (deadlineMs: number, ignored: number): Failure =>
  ignored === 0
    ? target('resolver_timeout', `no answer from the resolver ${within(deadlineMs)}`)
    : target(
        'resolver_bad_answer',
        `what the resolver sent ${within(deadlineMs)} is malformed or answers something else`,
      )

export const resolverFlood = target(
  'resolver_bad_answer',
  'the resolver sent too many datagrams that are malformed or answer something else',
)

export const resolverBadTcpAnswer = target(
  'resolver_bad_answer',
  'what the resolver sent over TCP is malformed or answers something else',
)

/** The answer did not fit in a datagram, and TCP failed; a fault of ours stays one. */
export const resolverTcpFailed = ({ cause, fault, reason }: Failure): Failure =>
  fault === 'probe'
    ? { cause, fault, reason }
    : target(
        'resolver_tcp_failed',
        `the answer of the resolver needs TCP, and that failed: ${reason}`,
      )
