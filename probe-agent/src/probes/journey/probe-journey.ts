import type { X509Certificate } from 'node:crypto'
import type { MultistepAssignment, MultistepRequestAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { noTimings, type HopTrace, type Timings } from '@probe-mesh/contracts/reading/reading-details'
import type { Step } from '@probe-mesh/contracts/check/step'
import { needsBody, type Expected } from '../../judge/judge-attempt.ts'
import { keepsRedirect } from '../../judge/judge-options.ts'
import type { Judgement } from '../../judge/judgement.ts'
import { createCookies, type Cookies } from '../../request/cookies.ts'
import { durationText, type Phase } from '../../request/failure.ts'
import { followRedirects, type Following } from '../../request/follow-redirects.ts'
import { plainGet, type Message } from '../../request/message.ts'
import type { Outcome, Failure } from '../../request/outcome.ts'
import { ownConnection } from '../../request/own-connection.ts'
import { roundMs } from '../../request/round.ts'
import { createStop, isDeadline, type Stop } from '../../request/stop.ts'
import { exchangeOf, isRefused, withoutQuery, type Sent } from '../exchange-of.ts'
import { lastMask, notesOf } from '../probe-http.ts'
import { maskNothing, type Mask } from '../../secrets/mask.ts'
import { noMasks, type Masks } from '../../secrets/masks.ts'
import {
  unresolvedName,
  type Probe,
  type ProbeCapabilities,
  type ProbeContext,
  type Probed,
  type Trace,
} from '../probe.ts'
import { expectedOf, judgeStep, stepText } from './judge-step.ts'
import type { Hop } from '../../request/hop.ts'
import { startDeadline } from '../deadline.ts'

/**
 * The journey as a whole took too long (S-411). If it last waited for the probe's own resolver, the
 * target is not at fault.
 */
export const journeyDeadline = (phase: Phase, deadlineMs: number): Failure => {
  const reason = `the journey took longer than ${durationText(deadlineMs)}`
  return phase === 'dns'
    ? {
        cause: 'dns_unreachable',
        fault: 'probe',
        reason: `${reason}; it was waiting for the resolver of the probe`,
      }
    : { cause: 'journey_timeout', fault: 'target', reason }
}

/**
 * Combines what can end a hop: its own 10 s, the journey's deadline or the agent. Close it when the
 * hop is over.
 */
const startHopStop = (
  { signal, deadlineMs }: Pick<ProbeContext, 'signal' | 'deadlineMs'>,
  requestMsMax: number,
): Stop => {
  const deadline = startDeadline(requestMsMax, signal)
  const own = createStop(deadline.signal, requestMsMax)
  return {
    during: own.during,
    failure: (phase) => (isDeadline(signal) ? journeyDeadline(phase, deadlineMs) : own.failure(phase)),
    passedMs: () => (isDeadline(signal) ? deadlineMs : own.passedMs()),
    leftMs: own.leftMs,
    close: () => {
      deadline.clear()
      own.close()
    },
  }
}

const urlCharactersMax = 300

/**
 * A hop as a reading stores it.
 * @param runStartedAt and endedAt, by `performance.now()`
 */
const hopTrace = (
  { url, redirectedBy, number, message, startedAt, timings, address, status }: Hop,
  {
    step,
    runStartedAt,
    endedAt,
    masks,
  }: { step: number; runStartedAt: number; endedAt: number; masks: Masks },
): HopTrace => ({
  step,
  hop: number,
  method: message.method,
  url: withoutQuery(url, masks.of(redirectedBy ?? url), urlCharactersMax),
  httpStatus: status,
  startMs: roundMs(startedAt - runStartedAt),
  latencyMs: roundMs(endedAt - startedAt),
  timings,
  address,
})

/**
 * How long an answer proves that the probe's own network works, ms: as long as a canary's
 * (`run/connectivity.ts`). A step that fails later proves nothing about it.
 */
const answerProvesMs = 1_000

/** State of a run in progress. */
type Journey = {
  startedAt: number
  endedAt: number
  /** When the latest head came, by `performance.now()`. */
  headAt: number
  hops: HopTrace[]
  certificateExpiresAt: number | null
  certificate: X509Certificate | null
  /** Of the host that showed it. */
  certificateMask: Mask
  cookies: Cookies
  notes: Set<string>
  masks: Masks
}

/** One run of a multi-step check, with 10 s for each request and redirect hop. */
export const probeJourney: Probe<MultistepAssignment | MultistepRequestAssignment> = (
  assignment,
  context,
  capabilities,
) => runJourney(assignment, context, capabilities, limits.stepRequestMsMax)

/**
 * Runs the steps in order up to the first failure (S-406). They share one cookie jar (S-408) and
 * nothing else.
 * @param requestMsMax for each request and redirect hop
 */
export const runJourney = async (
  assignment: MultistepAssignment | MultistepRequestAssignment,
  context: ProbeContext,
  capabilities: ProbeCapabilities,
  requestMsMax: number,
): Promise<Probed> => {
  const startedAt = performance.now()
  const masks = context.prepared?.masks ?? noMasks
  const journey: Journey = {
    startedAt,
    endedAt: startedAt,
    headAt: Number.NEGATIVE_INFINITY,
    hops: [],
    certificateExpiresAt: null,
    certificate: null,
    certificateMask: maskNothing,
    cookies: createCookies(),
    notes: new Set(),
    masks,
  }
  try {
    let last: { outcome: Outcome; judgement: Judgement; where: string; sent: Sent } | null = null
    for (const [index, step] of assignment.steps.entries()) {
      const number = index + 1
      const expected = expectedOf(step, assignment)
      const following = followingOf(journey, { step, number }, expected, context, requestMsMax)
      const message = context.prepared?.messages.get(index) ?? messageOf(step)
      const outcome = await followRedirects(step.url, message, following, capabilities)
      const place = { name: step.name, number }
      const mask = masks.of(outcome.url ?? step.url)
      const judgement = judgeStep(outcome, { ...expected, mask }, place, { step, now: capabilities.now() })
      for (const note of outcome.notes) journey.notes.add(note)
      const sent = { url: step.url, message, sentRegion: capabilities.sentRegion }
      last = { outcome, judgement, where: stepText(place), sent }
      if (judgement.verdict !== 'up') break
    }
    if (last === null) throw new Error('a journey without steps')
    const { outcome, judgement, where, sent } = last
    const trace = traceOf(journey, outcome, where, context.prepared?.traceId ?? null)
    const exchange = judgement.verdict === 'down' ? () => exchangeOf(sent, outcome, masks) : undefined
    const shown = { last: lastMask(outcome, sent.url, masks), certificate: journey.certificateMask }
    return { trace: { ...trace, exchange, masks: shown }, judgement }
  } finally {
    context.onConnected()
  }
}

/** A step's own request, with its method and body (S-403). */
const messageOf = ({ method, body, contentType }: Step): Message => ({
  method,
  body: body === null ? null : Buffer.from(body),
  contentType,
})

/** What every redirect of a step sends, also on the same origin (S-410, S-3861). */
const bodylessGet = { message: plainGet, leftOut: [] }

const followingOf = (
  journey: Journey,
  { step: { url: own, options }, number: step }: { step: Step; number: number },
  { assertions, owner }: Expected,
  context: ProbeContext,
  requestMsMax: number,
): Following => {
  let stop: Stop | null = null
  return {
    // assertions apply to the final answer, also for a redirect status (S-410), unless the step ends there
    isFinal: () => options !== undefined && keepsRedirect(options),
    httpVersion: options?.httpVersion,
    addressFamily: options?.addressFamily,
    connection: ownConnection(own, options ?? null),
    needsBody: (status, headers) => needsBody(assertions, status, { headers, owner }),
    // a request has its 10 s, with any progress (S-411)
    judgesBody: true,
    hopsMax: limits.redirectHopsMax,
    redirected: () => bodylessGet,
    cookieFor: (url) => {
      const cookie = journey.cookies.headerFor(url)
      journey.masks.sending(url, cookie)
      return cookie
    },
    onHead: (url, headers) => {
      journey.headAt = performance.now()
      journey.cookies.merge(url, headers['set-cookie'])
    },
    onConnected: step === 1 ? context.onConnected : () => undefined,
    begin: () => {
      stop = startHopStop(context, requestMsMax)
      return stop
    },
    end: (hop, endedAt) => {
      stop?.close()
      journey.endedAt = endedAt
      journey.certificateExpiresAt = hop.certificateExpiresAt ?? journey.certificateExpiresAt
      if (hop.certificate !== null) {
        journey.certificate = hop.certificate
        journey.certificateMask = journey.masks.of(hop.url)
      }
      journey.hops.push(
        hopTrace(hop, { step, runStartedAt: journey.startedAt, endedAt, masks: journey.masks }),
      )
    },
  }
}

/** Each phase over all requests, ms; null where none reached it. */
const sumOf = (hops: readonly HopTrace[]): Timings => {
  const sum = { ...noTimings }
  for (const { timings } of hops) {
    for (const key of ['dnsMs', 'connectMs', 'tlsMs', 'ttfbMs', 'transferMs'] as const) {
      if (timings[key] !== null) sum[key] = roundMs((sum[key] ?? 0) + timings[key])
    }
  }
  return sum
}

const traceOf = (
  { startedAt, endedAt, headAt, hops, certificateExpiresAt, certificate, notes }: Journey,
  last: Outcome,
  where: string,
  traceId: string | null,
): Trace => ({
  answered: last.ok || endedAt - headAt <= answerProvesMs,
  httpStatus: last.ok ? last.status : null,
  latencyMs: roundMs(endedAt - startedAt),
  timings: sumOf(hops),
  address: last.address,
  certificateExpiresAt,
  unresolved: unresolvedName(last.unresolved, where),
  unroutable: last.unroutable,
  certificate,
  // A hop that the guard refused was never requested, and its target stays private.
  details: {
    type: 'multistep',
    hops: isRefused(last) ? hops.slice(0, -1) : hops,
    ...notesOf({ notes: [...notes] }),
    ...(traceId !== null && { traceId }),
  },
})
