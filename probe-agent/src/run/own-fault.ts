import { isIPv6 } from 'node:net'
import type { SecureContext } from 'node:tls'
import { attemptMsMaxOf, type Assignment } from '@probe-mesh/contracts/mesh/assignment'
import type { NameEvidence } from '@probe-mesh/contracts/reading/reading-details'
import { cutReason } from '../judge/cut-reason.ts'
import { judgeFailure, type Judgement } from '../judge/judgement.ts'
import { tooSlowCause } from '../judge/judge-options.ts'
import { decideName, isDeniedByZone, unproven } from '../dns-evidence/decide-name.ts'
import type { NameInquiry } from '../dns-evidence/inquire.ts'
import {
  evidenceOf,
  resolverResultOf,
  type NameFacts,
  type ResolverResult,
} from '../dns-evidence/name-facts.ts'
import { isFromAuthority } from '../request/connect.ts'
import { noRoute, redirectNotPublic, unreachableHost } from '../request/failure.ts'
import type { AddressGuard } from '../request/guard.ts'
import type { Attempt } from './attempt.ts'
import type { Connectivity } from './connectivity.ts'
import { notMeasured } from '../probes/not-measured.ts'
import type { Trace, UnresolvedName } from '../probes/probe.ts'
import { limits } from '@probe-mesh/contracts/schema/limits'

/**
 * From this share of a time limit on, a standstill of the probe may explain why it was exceeded.
 */
const delayShareMin = 0.2

/**
 * Failures that the probe's own standstill can cause: timeouts, and servers that close an idle
 * connection. Any other reaction of a target is an answer, and counts.
 */
const causedByDelay: ReadonlySet<string> = new Set([
  'grpc_goaway',
  'grpc_reset',
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
  // a page loads through a proxy in this process
  'load_timeout',
  'page_unresponsive',
  'lcp_slow',
  'lcp_missing',
  'text_mismatch',
  'title_mismatch',
  'console_error',
  tooSlowCause,
])

/** "Request Timeout": the server waited for the probe's request. */
const requestTimeoutStatus = 408

/**
 * Whether the probe's own event loop, blocked for `blockedMs` of the attempt, may have caused a
 * failure (S-808).
 * @param httpStatus of the answer; null: none
 */
const isDelayed = (
  assignment: Assignment,
  { cause }: Pick<Judgement, 'cause'>,
  httpStatus: number | null,
  blockedMs: number,
): boolean => {
  const mayBeOurs =
    causedByDelay.has(cause) || (cause === 'status_mismatch' && httpStatus === requestTimeoutStatus)
  const limitMs = cause === tooSlowCause ? latencyLimitOf(assignment) : limitMsOf(assignment)
  return mayBeOurs && blockedMs >= delayShareMin * limitMs
}

/** The shortest time limit of an attempt, ms. */
const limitMsOf = (assignment: Pick<Assignment, 'type' | 'intervalSeconds'>): number =>
  assignment.type === 'multistep' || assignment.type === 'multistep_request'
    ? limits.stepRequestMsMax
    : attemptMsMaxOf(assignment)

/** The shortest time that an answer of a check may take, ms. */
const latencyLimitOf = (assignment: Assignment): number => {
  const requests =
    'steps' in assignment
      ? assignment.steps.map(({ options }) => options)
      : assignment.type === 'http_request'
        ? [assignment.request]
        : []
  return Math.min(limitMsOf(assignment), ...requests.flatMap((each) => each?.latencyMsMax ?? []))
}

/** Checks of a failure before it counts. */
export type OwnFaultCapabilities = {
  connectivity: Connectivity
  /** Absent: the result of the probe's resolver counts. */
  names?: NameInquiry
  /** Absent: no certificate is proven. */
  trust?: SecureContext
}

/**
 * The verdict on a run, and the evidence about its name. `proven`: our own network cannot have forged the
 * failure (`Reading`).
 */
export type WithoutOwnFault = { judgement: Judgement; names: NameEvidence | null; proven?: boolean }

/** An inquiry that runs during the second attempt. */
type BegunInquiry = { name: string; facts: Promise<NameFacts> }

/** A name that the probe's resolver did not resolve; null for any other end of an attempt. */
const unresolvedNameOf = ({
  trace,
  judgement,
}: Attempt): (UnresolvedName & { resolverResult: ResolverResult }) | null => {
  const resolverResult = resolverResultOf(judgement.cause)
  const unresolved = trace?.unresolved
  return resolverResult === null || unresolved === undefined ? null : { ...unresolved, resolverResult }
}

/** Whether an apparent failure of the probe may be the target's. */
export const mayBeTargets = (attempt: Attempt, { connectivity, names }: OwnFaultCapabilities): boolean =>
  (names !== undefined && unresolvedNameOf(attempt) !== null) ||
  (connectivity.reaches !== undefined && attempt.judgement.cause === noRoute.cause)

export const beginInquiry = (
  attempt: Attempt,
  run: Parameters<NameInquiry['ask']>[1],
  { names }: Pick<OwnFaultCapabilities, 'names'>,
): BegunInquiry | null => {
  const lost = unresolvedNameOf(attempt)
  if (lost === null || names === undefined) return null
  const facts = names.ask(lost, run)
  // it may stay unused; when awaited it rejects again
  facts.catch(() => undefined)
  return { name: lost.name, facts }
}

/**
 * A failure counts only if this agent could measure: its network works, similar names and routes
 * were found by the same means at that moment, and its event loop was free.
 * @param begun about the first attempt's name
 * @param blockedMs how long the loop was blocked during the attempt
 */
export const ruleOutOwnFault = async (
  attempt: Attempt,
  run: { assignment: Assignment; guard: AddressGuard; signal: AbortSignal; sinceMs: number },
  begun: BegunInquiry | null,
  blockedMs: () => number,
  capabilities: OwnFaultCapabilities,
): Promise<WithoutOwnFault> => {
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
  const isOurs = isDelayed(assignment, counted.judgement, trace?.httpStatus ?? null, blockedMs())
  if (isOurs) return { judgement: notMeasured.lagging, names: null }
  const proven =
    counted.proven === true || (await isCertificateProven(counted.judgement, trace, capabilities))
  return { ...counted, proven }
}

/** Certificates that a trusted authority issued: only the target's own server can have one with such a fault. */
const provableCertificates: ReadonlySet<string> = new Set(['certificate_expired', 'certificate_wrong_host'])

const isCertificateProven = async (
  { cause }: Judgement,
  trace: Trace | null,
  { connectivity, trust }: OwnFaultCapabilities,
): Promise<boolean> => {
  const certificate = trace?.certificate ?? null
  if (certificate === null || trust === undefined || !provableCertificates.has(cause)) return false
  return (await isFromAuthority(certificate, trust)) && (await connectivity.reachesByTls?.()) === true
}

const confirmName = async (
  attempt: Attempt,
  run: Parameters<NameInquiry['ask']>[1],
  begun: BegunInquiry | null,
  capabilities: OwnFaultCapabilities,
): Promise<WithoutOwnFault> => {
  const { judgement } = attempt
  const lost = unresolvedNameOf(attempt)
  if (lost === null) return { judgement: await confirmRedirect(attempt, run, capabilities), names: null }
  const isSame = begun !== null && begun.name === lost.name
  const inquiry = isSame ? begun : beginInquiry(attempt, run, capabilities)
  if (inquiry === null) return { judgement, names: null }
  const facts = await inquiry.facts
  const decided = decideName(lost.resolverResult, facts)
  return {
    judgement: decided === null ? judgement : judgementAt(decided, lost.where),
    names: evidenceOf(lost.resolverResult, facts),
    proven: isDenial(decided?.cause ?? judgement.cause) && isDeniedByZone(facts),
  }
}

const isDenial = (cause: string): boolean => {
  const result = resolverResultOf(cause)
  return result === 'NXDOMAIN' || result === 'NODATA'
}

/** A redirect to a name that is internal or denied: which of both stays hidden, also from the zone's servers. */
const confirmRedirect = async (
  { judgement, trace }: Attempt,
  { sinceMs }: { sinceMs: number },
  { names }: OwnFaultCapabilities,
): Promise<Judgement> => {
  const lost = trace?.unresolved
  if (judgement.cause !== redirectNotPublic.cause || lost === undefined || names === undefined)
    return judgement
  return (await names.resolvesAny(lost.name, sinceMs)) ? judgement : judgementAt(unproven, lost.where)
}

const judgementAt = (failure: Parameters<typeof judgeFailure>[0], where: string): Judgement => {
  const judgement = judgeFailure(failure)
  return { ...judgement, reason: cutReason(`${where}${judgement.reason}`) }
}

/** An address without a route counts when other addresses of its family are reachable. */
const confirmRoute = async (
  judgement: Judgement,
  trace: Trace | null,
  { allow }: Pick<AddressGuard, 'allow'>,
  { connectivity }: Pick<OwnFaultCapabilities, 'connectivity'>,
): Promise<Judgement> => {
  if (judgement.cause !== noRoute.cause || connectivity.reaches === undefined) return judgement
  // the internet proves nothing about routes in the operator's own network
  const addresses = (trace?.unroutable ?? []).filter((address) => !allow.covers(address))
  for (const family of new Set(addresses.map((address) => (isIPv6(address) ? 6 : 4)))) {
    if (!(await connectivity.reaches(family))) continue
    const where = (judgement.reason ?? '').slice(0, -noRoute.reason.length)
    return judgementAt(unreachableHost, where)
  }
  return judgement
}

/** An answer proves that the network works, and a local target does not need the internet. */
const needsNetwork = (trace: Trace | null, { allow }: Pick<AddressGuard, 'allow'>): boolean =>
  trace !== null && !trace.answered && (trace.address === null || !allow.covers(trace.address))
