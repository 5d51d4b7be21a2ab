import { typeOf } from '@probe-mesh/contracts/check/types-with-settings'
import type { SecureContext } from 'node:tls'
import type { Logger } from '@probe-mesh/bus/logger'
import {
  attemptMsMaxOf,
  attemptsMsMaxOf,
  hasRoomForRetry,
  isRetriedAtOnce,
  type Assignment,
} from '@probe-mesh/contracts/mesh/assignment'
import { probeUserAgent, sentRegionOf } from '@probe-mesh/contracts/agent/probe-identity'
import {
  noTimings,
  type NameEvidence,
  type ReadingDetails,
} from '@probe-mesh/contracts/reading/reading-details'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isPrivateRegion } from '@probe-mesh/contracts/reading/private-region'
import type { BrowserHost } from '@probe-mesh/check-types/browser/probe/host'
import type { Judgement } from '../judge/judgement.ts'
import { guardOfAccount, type SharedGuard } from '../request/guard.ts'
import type { Run, RunContext } from '../schedule/run.ts'
import { attempt, type Attempt, type AttemptCapabilities } from './attempt.ts'
import {
  beginInquiry,
  ruleOutOwnFault,
  mayBeTargets,
  type OwnFaultCapabilities,
  type WithoutOwnFault,
} from './own-fault.ts'
import { createCertificateNotes, type CertificateNotes } from './certificate-notes.ts'
import type { Mask } from '../secrets/mask.ts'
import type { SecretOpener } from '../secrets/secret-opener.ts'
import { createOfflineRest } from './offline-rest.ts'
import { createFailureNotes, type FailureNotes } from './failure-notes.ts'
import type { Handshakes } from './handshakes.ts'
import { lagMsMax, type LoopLag } from './loop-lag.ts'
import { notMeasured } from '../probes/not-measured.ts'
import type { Trace } from '../probes/probe.ts'
import { isIP } from 'node:net'
import type { RequestOptions } from '@probe-mesh/contracts/check/request-options'
import { hostOfConnectTo } from '@probe-mesh/contracts/target/connect-to'

/** The first host name of an assignment; null when it is an address or missing. */
const addressedHost = (assignment: Assignment): string | null => {
  const host = hostOf(assignment)?.toLowerCase().replace(/\.$/, '') ?? ''
  return host === '' || host.startsWith('[') || isIP(host) !== 0 ? null : host
}

/** A host that a URL has as it is written: its last label is no number, so it is no address. */
const plainHost = /^https?:\/\/((?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]*)(?=[:/?#]|$)/

const hostOf = (assignment: Assignment): string | null | undefined => {
  switch (assignment.type) {
    case 'http':
      return plainHost.exec(assignment.url)?.[1] ?? URL.parse(assignment.url)?.hostname
    case 'http_request':
      return connectedHost(assignment.url, assignment.request)
    case 'multistep':
    case 'multistep_request':
      return connectedHost(assignment.steps[0]?.url ?? '', assignment.steps[0]?.options)
    default:
      return typeOf(assignment).hostOf(assignment.settings)
  }
}

const connectedHost = (url: string, request: RequestOptions | undefined): string | undefined =>
  request?.connectTo === undefined ? URL.parse(url)?.hostname : hostOfConnectTo(request.connectTo)

export type RunnerCapabilities = SharedGuard &
  OwnFaultCapabilities & {
    trust: SecureContext
    /** null: browser checks are not measured here. */
    browser: BrowserHost | null
    handshakes: Handshakes
    lag: LoopLag
    /** Unix ms, for timestamps; durations are monotonic. */
    now: () => number
    log: Logger
    /** The agent's version, for its User-Agent. */
    version: string
    /** null or absent: this agent opens no secrets. */
    secrets?: SecretOpener | null | undefined
    /** Page that tells targets about the probes; null: none. */
    probesUrl: string | null
  }

/** Counts of runs since the start. */
export type RunCounts = {
  runs: number
  retried: number
  overloaded: number
  lagging: number
  offline: number
  errors: number
}

type Runner = { run: Run; readonly counts: Readonly<RunCounts> }

/** Runs assignments: slot in, reading out. A failing target is retried once, at once. */
export const createRunner = (capabilities: RunnerCapabilities): Runner => {
  const { lag, log, now } = capabilities
  const counts = { runs: 0, retried: 0, overloaded: 0, lagging: 0, offline: 0, errors: 0 }
  const notes = createCertificateNotes(now)
  const failures = createFailureNotes(now)
  const rest = createOfflineRest(capabilities.connectivity)
  const userAgent = probeUserAgent(capabilities.version, capabilities.probesUrl)
  const capabilitiesFor = (assignment: Assignment): AttemptCapabilities => {
    const { region, accountId } = assignment
    // a target receives the region only if its check allows that
    const isSent = 'sendRegion' in assignment && assignment.sendRegion === true
    return {
      ...capabilities,
      ...guardOfAccount(capabilities, accountId),
      userAgent,
      isOwnNetwork: isPrivateRegion(region),
      sentRegion: isSent ? sentRegionOf(region) : null,
    }
  }

  const measure = async (assignment: Assignment, context: RunContext): Promise<Reading> => {
    const noted = `${assignment.region} ${assignment.checkId}`
    if (context.kind === 'scheduled' && rest.skips(noted)) {
      counts.offline += 1
      return notAttempted(assignment, context, notMeasured.offline)
    }
    const startedAt = performance.now()
    const capable = capabilitiesFor(assignment)
    const first = await attempt(assignment, context, capable)
    const asked = { guard: capable, signal: context.signal, sinceMs: startedAt }
    const { accountId } = assignment
    const inquiry = beginInquiry(first, { ...asked, accountId }, capabilities)
    const retriedAt = performance.now()
    const leftMs = retryMsMax(assignment, retriedAt - startedAt)
    const hasFailed = first.judgement.verdict === 'down' || mayBeTargets(first, capabilities)
    const retried = hasFailed && leftMs > 0
    if (retried) counts.retried += 1
    const last = retried ? await attempt(assignment, context, capable, leftMs) : first
    const begun = [first, ...(retried ? [last] : [])].filter((each) => each.trace !== null)
    if (last.judgement === notMeasured.overloaded) counts.overloaded += 1
    const lagged = lag.worstSince(startedAt) > lagMsMax
    const blockedMs = (): number => lag.blockedSince(retried ? retriedAt : startedAt)
    const run = { ...asked, assignment }
    const {
      judgement,
      names,
      proven = false,
    } = await ruleOutOwnFault(last, run, inquiry, blockedMs, capabilities)
    if (judgement === notMeasured.lagging) counts.lagging += 1
    const offline = judgement === notMeasured.offline
    if (offline) counts.offline += 1
    rest.note(noted, { offline, answered: last.trace?.answered === true })
    capabilities.names?.addResolved(() => resolvedHost(assignment, last))
    const mask = last.trace?.masks?.last
    const seen = {
      ...last,
      ...(mask === undefined ? { judgement, names } : masked({ judgement, names }, mask)),
    }
    const measured = readingOf(assignment, context, seen, begun.length, !lagged)
    const reading = proven ? { ...measured, proven } : measured
    return withExchange(withCertificate(reading, last.trace, notes), last.trace, failures)
  }

  const notAttempted = (assignment: Assignment, context: RunContext, judgement: Judgement): Reading =>
    readingOf(assignment, context, { measuredAt: now(), trace: null, judgement, names: null }, 0, false)

  return {
    counts,
    run: async (assignment, context) => {
      counts.runs += 1
      try {
        return await measure(assignment, context)
      } catch (error) {
        counts.errors += 1
        log.error({ err: error, checkId: assignment.checkId }, 'a run failed')
        return notAttempted(assignment, context, notMeasured.error)
      }
    },
  }
}

/**
 * Limit of an immediate retry, ms; 0: no retry. A journey's attempts share its 45 s, so a retry
 * fits if the first took less than half, and a POST must not be repeated. An attempt that may take
 * more than 0.4 of the interval is made once.
 */
const retryMsMax = (assignment: Assignment, firstMs: number): number => {
  if (!isRetriedAtOnce(assignment) || !hasRoomForRetry(assignment)) return 0
  if (!('steps' in assignment)) return attemptMsMaxOf(assignment)
  const leftMs = attemptsMsMaxOf(assignment) - firstMs
  return leftMs > firstMs ? leftMs : 0
}

/**
 * @param timed false when the event loop was blocked: the timings are not the target's
 */
const readingOf = (
  { checkId, region, type }: Assignment,
  { slot, kind, number, lateMs }: RunContext,
  { measuredAt, trace, judgement, names }: Attempt & Pick<WithoutOwnFault, 'names'>,
  attempts: number,
  timed: boolean,
): Reading => {
  const measured = timed && judgement.verdict !== 'unmeasured' ? trace : null
  const details = withNames(detailsOf(trace, judgement), names, type)
  return {
    checkId,
    region,
    slot,
    kind,
    number,
    ...judgement,
    httpStatus: trace?.httpStatus ?? null,
    latencyMs: measured?.latencyMs ?? null,
    timings: measured?.timings ?? noTimings,
    measuredAt,
    attempts,
    lateMs,
    address: trace?.address ?? null,
    certificateExpiresAt: trace?.certificateExpiresAt ?? null,
    ...(details === null ? {} : { details }),
    ...(trace?.excerpt === undefined ? {} : { excerpt: trace.excerpt }),
    ...(trace?.screenshot === undefined ? {} : { screenshot: trace.screenshot }),
  }
}

/** Hides secrets in the verdict and in the name that was not found; whoever cuts other texts masks them. */
const masked = ({ judgement, names }: WithoutOwnFault, mask: Mask): WithoutOwnFault => {
  const name = (text: string): string => mask.cut(text, hostNameCharactersMax)
  const { reason } = judgement
  return {
    judgement: { ...judgement, reason: reason && mask.cut(reason, limits.reasonCharactersMax) },
    names: names && {
      ...names,
      name: name(names.name),
      zone: names.zone && name(names.zone),
      servers: names.servers.map((each) => ({ ...each, name: name(each.name) })),
    },
  }
}

const hostNameCharactersMax = 253

/** Adds the certificate's other fields when they are new. */
const withCertificate = (reading: Reading, trace: Trace | null, notes: CertificateNotes): Reading => {
  const seen = trace?.certificate ?? null
  if (seen === null || reading.certificateExpiresAt === null) return reading
  const certificate = notes.newsOf(reading, seen, trace?.masks?.certificate)
  return certificate === null ? reading : { ...reading, certificate }
}

/** Adds what was sent and what came back when a failure begins, and to each failed run on demand. */
const withExchange = (reading: Reading, trace: Trace | null, failures: FailureNotes): Reading => {
  const { checkId, region, kind, verdict, cause } = reading
  // one agent may measure a check from several regions
  const noted = `${region} ${checkId}`
  if (kind === 'scheduled' && verdict === 'up') failures.ended(noted)
  if (verdict !== 'down' || trace?.exchange === undefined) return reading
  if (kind === 'confirmation' || (kind === 'scheduled' && !failures.isNew(noted, cause))) return reading
  const { details } = reading
  if (details && details.type !== 'http' && details.type !== 'multistep') return reading
  const before = details ?? { type: 'http', cdn: null, nameServers: [] }
  return { ...reading, details: { ...before, exchange: trace.exchange() } }
}

/** Shared evidence of an http check; none for an attempt that was not measured. */
const detailsOf = (trace: Trace | null, { verdict }: Judgement): ReadingDetails | null => {
  const details = trace?.details ?? null
  return details?.type === 'http' && verdict === 'unmeasured' ? null : details
}

/** Adds the evidence about an unresolved name, also for types without other details. */
const withNames = (
  details: ReadingDetails | null,
  names: NameEvidence | null,
  type: Assignment['type'],
): ReadingDetails | null => {
  if (names === null) return details
  if (details !== null) return { ...details, names }
  return type === 'http' || type === 'http_request'
    ? { type: 'http', cdn: null, nameServers: [], names }
    : null
}

/** The host of an assignment if its name was resolved. */
const resolvedHost = (assignment: Assignment, { trace, judgement }: Attempt): string | null => {
  if (assignment.type === 'dns') return judgement.verdict === 'up' ? assignment.settings.name : null
  return trace?.address === null ? null : addressedHost(assignment)
}
