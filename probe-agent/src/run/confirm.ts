import { isIPv6 } from 'node:net'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import type { NameEvidence } from '@probe-mesh/contracts/reading/reading-details'
import { cutReason } from '../judge/cut-reason.ts'
import { judgeFailure } from '../judge/judgement.ts'
import type { Judgement } from '../judge/judgement.ts'
import { decideName } from '../names/decide-name.ts'
import type { NameInquiry } from '../names/inquire.ts'
import { evidenceOf, saidOf } from '../names/name-facts.ts'
import type { NameFacts, Said } from '../names/name-facts.ts'
import { noRoute, unreachableHost } from '../request/failure.ts'
import type { AddressGuard } from '../request/guard.ts'
import type { Attempt } from './attempt.ts'
import type { Connectivity } from './connectivity.ts'
import { notMeasured } from '../probes/not-measured.ts'
import type { Trace, UnresolvedName } from '../probes/probe.ts'
import { attemptMsMaxOf } from '@probe-mesh/contracts/mesh/assignment'
import { limits } from '@probe-mesh/contracts/schema/limits'

/** The share of a time limit from which on a standstill of ours may be why it was exceeded. */
const heldUpShareMin = 0.2

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
const isHeldUp = (
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

/** What a failure is held against before it counts. */
export type ConfirmCapabilities = {
  connectivity: Connectivity
  /** Absent: what the probe's resolver says of a name stands. */
  names?: NameInquiry
}

/** The verdict on a run, and what was found out about its name. */
export type Confirmed = { judgement: Judgement; names: NameEvidence | null }

/** An inquiry that runs beside the second attempt. */
export type BegunInquiry = { name: string; facts: Promise<NameFacts> }

/** A name that the probe's resolver did not resolve; null where an attempt ended otherwise. */
const lostName = ({ trace, judgement }: Attempt): (UnresolvedName & { said: Said }) | null => {
  const said = saidOf(judgement.cause)
  const unresolved = trace?.unresolved
  return said === null || unresolved === undefined ? null : { ...unresolved, said }
}

/** Whether what looks like the probe's own failure may turn out to be the target's. */
export const mayBeTargets = (
  attempt: Attempt,
  { connectivity, names }: ConfirmCapabilities,
): boolean =>
  (names !== undefined && lostName(attempt) !== null) ||
  (connectivity.reaches !== undefined && attempt.judgement.cause === noRoute.cause)

export const beginInquiry = (
  attempt: Attempt,
  run: Parameters<NameInquiry['ask']>[1],
  { names }: Pick<ConfirmCapabilities, 'names'>,
): BegunInquiry | null => {
  const lost = lostName(attempt)
  if (lost === null || names === undefined) return null
  const facts = names.ask(lost, run)
  // nobody may want it: where it is awaited it rejects again
  facts.catch(() => undefined)
  return { name: lost.name, facts }
}

/**
 * A failure counts only where this agent was able to see: its network working, names and routes like the
 * target's found by the same means at that moment, its event loop free.
 * @param begun about the first attempt's name
 * @param blockedMs for how long the loop stood still during the attempt
 */
export const confirm = async (
  attempt: Attempt,
  run: { assignment: Assignment; guard: AddressGuard; signal: AbortSignal; sinceMs: number },
  begun: BegunInquiry | null,
  blockedMs: () => number,
  capabilities: ConfirmCapabilities,
): Promise<Confirmed> => {
  const { trace } = attempt
  const { assignment, guard } = run
  const mayCount = attempt.judgement.verdict === 'down' || mayBeTargets(attempt, capabilities)
  if (!mayCount) return { judgement: attempt.judgement, names: null }
  const isOnline = !needsNetwork(trace, guard) || (await capabilities.connectivity.online())
  if (!isOnline) return { judgement: notMeasured.offline, names: null }
  const { accountId } = assignment
  const asked = { accountId, guard, signal: run.signal, sinceMs: run.sinceMs }
  const found = await confirmName(attempt, asked, begun, capabilities)
  const { judgement } = found
  const counted = { ...found, judgement: await confirmRoute(judgement, trace, guard, capabilities) }
  if (counted.judgement.verdict !== 'down') return counted
  const isOurs = isHeldUp(assignment, counted.judgement, trace?.httpStatus ?? null, blockedMs())
  return isOurs ? { judgement: notMeasured.lagging, names: null } : counted
}

const confirmName = async (
  attempt: Attempt,
  run: Parameters<NameInquiry['ask']>[1],
  begun: BegunInquiry | null,
  capabilities: ConfirmCapabilities,
): Promise<Confirmed> => {
  const { judgement } = attempt
  const lost = lostName(attempt)
  if (lost === null) return { judgement, names: null }
  const isSame = begun !== null && begun.name === lost.name
  const inquiry = isSame ? begun : beginInquiry(attempt, run, capabilities)
  if (inquiry === null) return { judgement, names: null }
  const facts = await inquiry.facts
  const decided = decideName(lost.said, facts)
  return {
    judgement: decided === null ? judgement : told(decided, lost.where),
    names: evidenceOf(lost.said, facts),
  }
}

const told = (failure: Parameters<typeof judgeFailure>[0], where: string): Judgement => {
  const judgement = judgeFailure(failure)
  return { ...judgement, reason: cutReason(`${where}${judgement.reason}`) }
}

/** An address without a route counts where others of its family are reached. */
const confirmRoute = async (
  judgement: Judgement,
  trace: Trace | null,
  { allow }: Pick<AddressGuard, 'allow'>,
  { connectivity }: Pick<ConfirmCapabilities, 'connectivity'>,
): Promise<Judgement> => {
  if (judgement.cause !== noRoute.cause || connectivity.reaches === undefined) return judgement
  // the internet says nothing of routes within the operator's own network
  const addresses = (trace?.unroutable ?? []).filter((address) => !allow.covers(address))
  for (const family of new Set(addresses.map((address) => (isIPv6(address) ? 6 : 4)))) {
    if (!(await connectivity.reaches(family))) continue
    const where = (judgement.reason ?? '').slice(0, -noRoute.reason.length)
    return told(unreachableHost, where)
  }
  return judgement
}

/** An answer proves that the network works, and a local target does not need the internet. */
const needsNetwork = (trace: Trace | null, { allow }: Pick<AddressGuard, 'allow'>): boolean =>
  trace !== null && !trace.answered && (trace.address === null || !allow.covers(trace.address))
