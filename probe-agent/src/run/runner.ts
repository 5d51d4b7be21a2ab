import type { SecureContext } from 'node:tls'
import type { Logger } from '@probe-mesh/bus/logger'
import {
  attemptMsMaxOf,
  attemptsMsMaxOf,
  hasRoomForRetry,
  isRetriedAtOnce,
} from '@probe-mesh/contracts/assignment'
import type { Assignment } from '@probe-mesh/contracts/assignment'
import { probeUserAgent, sentRegionOf } from '@probe-mesh/contracts/probe-identity'
import { noTimings } from '@probe-mesh/contracts/timings'
import type { Reading } from '@probe-mesh/contracts/reading'
import type { ReadingDetails } from '@probe-mesh/contracts/reading-details'
import { isPrivateRegion } from '@probe-mesh/contracts/regions'
import type { BrowserHost } from '../browser/host.ts'
import type { Judgement } from '../judge/judgement.ts'
import { guardOfAccount } from '../request/guard.ts'
import type { Guard, SharedGuard } from '../request/guard.ts'
import type { Run, RunContext } from '../slots/run.ts'
import { attempt } from './attempt.ts'
import type { Attempt, AttemptCapabilities } from './attempt.ts'
import { createCertificateNotes } from './certificate-notes.ts'
import type { CertificateNotes } from './certificate-notes.ts'
import type { Connectivity } from './connectivity.ts'
import type { Handshakes } from './handshakes.ts'
import { lagMsMax } from './loop-lag.ts'
import type { LoopLag } from './loop-lag.ts'
import { notMeasured } from './not-measured.ts'
import type { Trace } from './probe.ts'

export type RunnerCapabilities = SharedGuard & {
  trust: SecureContext
  /** null: browser checks are not measured here. */
  browser: BrowserHost | null
  connectivity: Connectivity
  handshakes: Handshakes
  lag: LoopLag
  /** Unix ms: when things happened. How long they took is monotonic. */
  now: () => number
  log: Logger
  /** The agent's version, for its User-Agent. */
  version: string
  /** Where targets read who probes them; null: nowhere. */
  probesUrl: string | null
}

/** What became of runs since the start. */
export type RunCounts = {
  runs: number
  retried: number
  overloaded: number
  lagging: number
  offline: number
  errors: number
}

export type Runner = { run: Run; readonly counts: Readonly<RunCounts> }

/** Runs assignments: slot in, reading out. A target that fails is tried again at once, one time. */
export const createRunner = (capabilities: RunnerCapabilities): Runner => {
  const { connectivity, lag, log, now } = capabilities
  const counts = { runs: 0, retried: 0, overloaded: 0, lagging: 0, offline: 0, errors: 0 }
  const notes = createCertificateNotes(now)
  const userAgent = probeUserAgent(capabilities.version, capabilities.probesUrl)
  const capabilitiesFor = (assignment: Assignment): AttemptCapabilities => {
    const { region, accountId } = assignment
    // a target is told its region only where its check says so
    const isSent = 'sendRegion' in assignment && assignment.sendRegion === true
    const made = {
      ...capabilities,
      userAgent,
      isOwnNetwork: isPrivateRegion(region),
      sentRegion: isSent ? sentRegionOf(region) : null,
    }
    return guardOfAccount(made, accountId)
  }

  /** A failure counts only where this agent was able to see: its loop free, its network working. */
  const confirm = async (
    { judgement, trace }: Attempt,
    lagged: boolean,
    guard: Pick<Guard, 'allow'>,
  ): Promise<Judgement> => {
    if (judgement.verdict !== 'down') return judgement
    if (lagged) {
      counts.lagging += 1
      return notMeasured.lagging
    }
    if (!needsNetwork(trace, guard) || (await connectivity.online())) return judgement
    counts.offline += 1
    return notMeasured.offline
  }

  const measure = async (assignment: Assignment, context: RunContext): Promise<Reading> => {
    const startedAt = performance.now()
    const capable = capabilitiesFor(assignment)
    const first = await attempt(assignment, context, capable)
    const leftMs = retryMsMax(assignment, performance.now() - startedAt)
    const retried = first.judgement.verdict === 'down' && leftMs > 0
    if (retried) counts.retried += 1
    const last = retried ? await attempt(assignment, context, capable, leftMs) : first
    const began = [first, ...(retried ? [last] : [])].filter((each) => each.trace !== null)
    if (last.judgement === notMeasured.overloaded) counts.overloaded += 1
    const lagged = lag.worstSince(startedAt) > lagMsMax
    const judgement = await confirm(last, lagged, capable)
    const reading = readingOf(assignment, context, { ...last, judgement }, began.length, !lagged)
    return withCertificate(reading, last.trace, notes)
  }

  return {
    counts,
    run: async (assignment, context) => {
      counts.runs += 1
      try {
        return await measure(assignment, context)
      } catch (error) {
        counts.errors += 1
        log.error({ err: error, checkId: assignment.checkId }, 'a run failed')
        const failed = { measuredAt: now(), trace: null, judgement: notMeasured.error }
        return readingOf(assignment, context, failed, 0, false)
      }
    },
  }
}

/**
 * What an immediate retry may take, ms; 0 where there is none. A journey's attempts share its 45 s,
 * so that one fits where the first took less than half, and repeating a POST would repeat its effect; an
 * attempt that its owner lets take more than 0.4 of the interval is made once.
 */
const retryMsMax = (assignment: Assignment, firstMs: number): number => {
  if (!isRetriedAtOnce(assignment) || !hasRoomForRetry(assignment)) return 0
  if (assignment.type !== 'multistep') return attemptMsMaxOf(assignment)
  const leftMs = attemptsMsMaxOf(assignment) - firstMs
  return leftMs > firstMs ? leftMs : 0
}

/** An answer proves that the network works, and a local target does not need the internet. */
const needsNetwork = (trace: Trace | null, { allow }: Pick<Guard, 'allow'>): boolean =>
  trace !== null && !trace.answered && (trace.address === null || !allow.covers(trace.address))

/** @param timed whether the phases are the target's: not where our own loop stood still */
const readingOf = (
  { checkId, region }: Assignment,
  { slot, kind, number, lateMs }: RunContext,
  { measuredAt, trace, judgement }: Attempt,
  attempts: number,
  timed: boolean,
): Reading => {
  const measured = timed && judgement.verdict !== 'unmeasured' ? trace : null
  const details = detailsOf(trace, judgement)
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
    ...(trace?.screenshot === undefined ? {} : { screenshot: trace.screenshot }),
  }
}

/** What the certificate says besides its end, where it is news. */
const withCertificate = (
  reading: Reading,
  trace: Trace | null,
  notes: CertificateNotes,
): Reading => {
  const seen = trace?.certificate ?? null
  if (seen === null || reading.certificateExpiresAt === null) return reading
  const certificate = notes.newsOf(reading.checkId, seen, reading.certificateExpiresAt)
  return certificate === null ? reading : { ...reading, certificate }
}

/** What a service's outages may share with others' is evidence, and of what was not measured there is none. */
const detailsOf = (trace: Trace | null, { verdict }: Judgement): ReadingDetails | null => {
  const details = trace?.details ?? null
  return details?.type === 'http' && verdict === 'unmeasured' ? null : details
}
