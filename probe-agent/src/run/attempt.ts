import { attemptMsMaxOf, type Assignment } from '@probe-mesh/contracts/mesh/assignment'
import type { BrowserHost } from '@probe-mesh/check-types/browser/probe/host'
import { loadProbeOf } from './probes-of-types.ts'
import { typeOf } from '@probe-mesh/contracts/check/types-with-settings'
import { probeJourney } from '../probes/journey/probe-journey.ts'
import { judgeFailure, type Judgement } from '../judge/judgement.ts'
import type { RunContext } from '../schedule/run.ts'
import { startDeadline } from '../probes/deadline.ts'
import { handshakeWork, type Handshakes } from './handshakes.ts'
import { notMeasured } from '../probes/not-measured.ts'
import type { ProbeCapabilities, ProbeContext, Probed, Trace } from '../probes/probe.ts'
import { probeHttp } from '../probes/probe-http.ts'
import { hasRequests, prepare } from '../secrets/prepare.ts'
import { unlessOwnCertificate } from '../judge/own-certificate.ts'
import type { SecretOpener } from '../secrets/secret-opener.ts'

export type AttemptCapabilities = ProbeCapabilities & {
  /** null or absent: this agent opens no secrets. */
  secrets?: SecretOpener | null | undefined
  handshakes: Handshakes
  /** null: browser checks are not measured here. */
  browser: BrowserHost | null
}

/** One attempt with its judgement; `trace` is null if it never started. */
export type Attempt = {
  measuredAt: number
  trace: Trace | null
  judgement: Judgement
}

/**
 * Attempts an assignment once, on fresh connections. The wait for a handshake or a page does not
 * count: clock and deadline start with the place.
 * @param msMax limit of the attempt, ms
 */
export const attempt = async (
  assignment: Assignment,
  {
    signal,
    kind,
    freeTrial = false,
    excerpt = false,
  }: Pick<RunContext, 'signal' | 'kind' | 'freeTrial' | 'excerpt'>,
  capabilities: AttemptCapabilities,
  msMax = attemptMsMaxOf(assignment),
): Promise<Attempt> => {
  const prepared = hasRequests(assignment)
    ? prepare(assignment, {
        opener: capabilities.secrets ?? null,
        trust: capabilities.trust,
        nowMs: capabilities.now(),
      })
    : undefined
  if (prepared !== undefined && 'cause' in prepared) {
    return { measuredAt: capabilities.now(), trace: null, judgement: judgeFailure(prepared) }
  }
  const { accountId } = assignment
  // loading is our time and not the target's, so it comes before the clock
  const probe = (await loadProbeOf(assignment)) ?? probeRequests
  const handshake = await capabilities.handshakes.begin(accountId, signal, workOf(assignment))
  const measuredAt = capabilities.now()
  if (typeof handshake === 'string') {
    return { measuredAt, trace: null, judgement: notMeasured[handshake] }
  }
  // a page has its own deadline, which starts when it has a place
  const deadline = assignment.type === 'browser' ? { signal } : startDeadline(msMax, signal)
  const context = {
    signal: deadline.signal,
    deadlineMs: msMax,
    onConnected: handshake.release,
    kind,
    freeTrial,
    excerpt,
    prepared,
  }
  try {
    const probed = await probe(assignment, context, capabilities)
    const { httpStatus } = probed.trace
    const judgement = unlessOwnCertificate(probed.judgement, httpStatus, prepared?.clientProblem ?? null)
    return { measuredAt, ...probed, judgement }
  } finally {
    if ('clear' in deadline) deadline.clear()
    handshake.release()
  }
}

const probeRequests = (
  assignment: Assignment,
  context: ProbeContext,
  capabilities: AttemptCapabilities,
): Promise<Probed & { measuredAt?: number }> => {
  switch (assignment.type) {
    case 'http':
    case 'http_request':
      return probeHttp(assignment, context, capabilities)
    case 'multistep':
    case 'multistep_request':
      return probeJourney(assignment, context, capabilities)
    default:
      throw new Error(`no probe for ${assignment.type}`)
  }
}

/** The processor cost of an attempt's first connection. */
const workOf = (assignment: Assignment): number => {
  const { plain, tls } = handshakeWork
  switch (assignment.type) {
    case 'http':
    case 'http_request':
      return isHttps(assignment.url) ? tls : plain
    case 'multistep':
    case 'multistep_request':
      return isHttps(assignment.steps[0]?.url ?? '') ? tls : plain
    default:
      return typeOf(assignment).startsTls(assignment.settings) ? tls : plain
  }
}

const isHttps = (url: string): boolean => /^https:/i.test(url)
