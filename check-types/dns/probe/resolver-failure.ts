import { within } from '@probe-mesh/probe-agent/src/request/failure'
import type { Failure } from '@probe-mesh/probe-agent/src/request/outcome'

/**
 * Failures of a resolver that is the target itself; the agent's own resolvers never report these.
 */

const target = (cause: string, reason: string): Failure => ({ cause, fault: 'target', reason })

/**
 * @param ignored datagrams that were no answer
 */
export const resolverSilent = (deadlineMs: number, ignored: number): Failure =>
  ignored === 0
    ? target('resolver_timeout', `no answer from the resolver ${within(deadlineMs)}`)
    : target(
        'resolver_bad_answer',
        `the resolver sent ${within(deadlineMs)} only data that is malformed or answers another question`,
      )

export const resolverFlood = target(
  'resolver_bad_answer',
  'the resolver sent too many datagrams that are malformed or answer another question',
)

export const resolverBadTcpAnswer = target(
  'resolver_bad_answer',
  'the resolver sent data over TCP that is malformed or answers another question',
)

/** The answer needed TCP, and TCP failed; a fault of the probe stays its fault. */
export const resolverTcpFailed = ({ cause, fault, reason }: Failure): Failure =>
  fault === 'probe'
    ? { cause, fault, reason }
    : target('resolver_tcp_failed', `the answer of the resolver needs TCP, which failed: ${reason}`)
