import type { ResolverAddress } from '@probe-mesh/contracts/target/dns-target'
import type { ProbeContext } from '@probe-mesh/probe-agent/src/probes/probe'
import { startDeadline } from '@probe-mesh/probe-agent/src/probes/deadline'
import { roundMs } from '@probe-mesh/probe-agent/src/request/round'
import { createStop } from '@probe-mesh/probe-agent/src/request/stop'
import { queryOverTcp } from './query-tcp.ts'
import { queryOverUdp, type QueryResult } from './query-udp.ts'
import type { Question } from '@probe-mesh/probe-agent/src/dns/message'

/** The result of one query to one resolver. */
export type Exchange = QueryResult & {
  resolver: ResolverAddress
  /** Whether any valid response came, including one that requires TCP. */
  answered: boolean
  /** Duration of the answering exchange, ms rounded to 0.1; null without an answer. */
  dnsMs: number | null
}

const retransmitShare = 1 / 3

/**
 * Queries one resolver: UDP with one retransmission, then TCP for a truncated answer.
 * @param msMax limit within the attempt's deadline
 */
export const queryResolver = async (
  question: Question,
  resolver: ResolverAddress,
  { msMax, local }: { msMax: number; local: boolean },
  { signal, deadlineMs, onConnected }: ProbeContext,
): Promise<Exchange> => {
  const deadline = startDeadline(msMax, signal)
  const stop = createStop(deadline.signal, deadlineMs)
  const retransmitMs = msMax * retransmitShare
  const context = { stop, deadlineMs, retransmitMs, local, onConnected }
  let startedAt = performance.now()
  try {
    const first = await queryOverUdp(question, resolver, context)
    if (first !== 'truncated') return exchangeOf(first, resolver, startedAt, first.ok)
    startedAt = performance.now()
    return exchangeOf(await queryOverTcp(question, resolver, context), resolver, startedAt, true)
  } finally {
    stop.close()
    deadline.clear()
  }
}

const exchangeOf = (
  result: QueryResult,
  resolver: ResolverAddress,
  startedAt: number,
  answered: boolean,
): Exchange => ({
  ...result,
  resolver,
  answered,
  dnsMs: result.ok ? roundMs(performance.now() - startedAt) : null,
})
