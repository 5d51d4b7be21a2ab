import type { HttpAssignment, HttpRequestAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { Assertions } from '@probe-mesh/contracts/check/assertions'
import { timeoutsOf } from '@probe-mesh/contracts/check/check-timeout'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { AnswerExcerpt } from '@probe-mesh/contracts/reading/reading'
import type { ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import type { Exchange } from '@probe-mesh/contracts/reading/exchange'
import { cdnOf } from '../evidence/cdn-marker.ts'
import { isOwnStatus, readsBody } from '../judge/evaluate-assertions.ts'
import { cutReason } from '../judge/cut-reason.ts'
import { judgeAttempt, needsBody } from '../judge/judge-attempt.ts'
import { assertionsWith, judgeOptions, keepsRedirect } from '../judge/judge-options.ts'
import type { Judgement } from '../judge/judgement.ts'
import type { Message } from '../request/message.ts'
import { followedWithout, turnedInto } from '../request/notes.ts'
import type { Body, Headers, Outcome } from '../request/outcome.ts'
import { ownConnection } from '../request/own-connection.ts'
import { request } from '../request/request.ts'
import type { Mask } from '../secrets/mask.ts'
import { noMasks, type Masks } from '../secrets/masks.ts'
import { beginningOf, exchangeOf } from './exchange-of.ts'
import { unresolvedName, type Probe } from './probe.ts'

/** One http check: a request with its redirects, judged by the check's assertions. */
export const probeHttp: Probe<HttpAssignment | HttpRequestAssignment> = async (
  assignment,
  context,
  capabilities,
) => {
  const { owner, url } = assignment
  const options = assignment.type === 'http_request' ? assignment.request : null
  const assertions = options === null ? assignment.assertions : assertionsWith(assignment.assertions, options)
  const { excerpt = false, prepared } = context
  const isJudged = (status: number, headers: Headers): boolean =>
    needsBody(assertions, status, { headers, owner })
  const masks = prepared?.masks ?? noMasks
  const outcome = await request(
    {
      url,
      message: prepared?.messages.get(0),
      httpVersion: options?.httpVersion,
      addressFamily: options?.addressFamily,
      connection: ownConnection(url, options),
      isFinal: (status) => isOwnStatus(assertions, status) || (options !== null && keepsRedirect(options)),
      needsBody: (status, headers) => excerpt || isJudged(status, headers),
      judgesBody: readsBody(assertions),
      onSending: masks.sending,
      ...context,
    },
    capabilities,
  )
  const { latencyMs, timings, address, certificateExpiresAt, certificate = null } = outcome
  const { unresolved, unroutable } = outcome
  const mask = masks.of(outcome.url ?? url)
  // a body read only for its excerpt changes no verdict
  const judgement = judgeHttp(
    outcome.ok && !isJudged(outcome.status, outcome.headers) ? { ...outcome, body: null } : outcome,
    assignment,
    assertions,
    { deadlineMs: context.deadlineMs, mask, now: capabilities.now, message: prepared?.messages.get(0) },
  )
  const { sentRegion } = capabilities
  const exchange = () => exchangeOf({ url, message: prepared?.messages.get(0), sentRegion }, outcome, masks)
  const last = lastMask(outcome, url, masks)
  const isShown = judgement.verdict === 'down' && owner === 'account'
  return {
    trace: {
      answered: outcome.ok,
      httpStatus: outcome.ok ? outcome.status : null,
      latencyMs,
      timings,
      address,
      certificateExpiresAt,
      certificate,
      unresolved: unresolvedName(unresolved),
      unroutable,
      details: detailsOf(outcome, assignment.owner, prepared?.traceId ?? null),
      exchange: isShown ? exchange : undefined,
      masks: { last, certificate: mask },
      ...(excerpt && excerptIn(outcome, exchange, mask)),
    },
    judgement,
  }
}

const excerptIn = (outcome: Outcome, exchange: () => Exchange, mask: Mask) =>
  outcome.ok && outcome.body !== null
    ? { excerpt: excerptOf(outcome.headers, outcome.body, exchange(), mask) }
    : null

/** The start of an answer, decoded by its charset. An unknown content coding has no text. */
const excerptOf = (headers: Headers, body: Body, exchange: Exchange, mask: Mask): AnswerExcerpt => {
  const { bytes, truncated, undecoded } = body
  return {
    contentType: mask.cut(headers['content-type'] ?? '', contentTypeCharactersMax),
    body: undecoded === null ? beginningOf(body, headers, limits.excerptBytesMax, mask) : '',
    isCut: truncated || bytes.length > limits.excerptBytesMax,
    exchange: { ...exchange, responseBody: null },
  }
}

const contentTypeCharactersMax = 200

/** Timeouts of a target that may just be slow: the hint names the limit. */
const slowCauses: ReadonlySet<string> = new Set(['response_timeout', 'body_timeout'])

type JudgeTools = {
  deadlineMs: number
  mask: Mask
  now: () => number
  /** The own request; undefined: a plain GET. */
  message: Message | undefined
}

const judgeHttp = (
  outcome: Outcome,
  assignment: HttpAssignment | HttpRequestAssignment,
  assertions: Assertions,
  { deadlineMs, mask, now, message }: JudgeTools,
): Judgement => {
  const { owner, refusedAs = 'down', intervalSeconds } = assignment
  const answered = judgeAttempt(outcome, {
    assertions,
    owner,
    refusedAs: owner === 'account' ? refusedAs : null,
    mask,
  })
  const judged =
    assignment.type === 'http'
      ? answered
      : judgeOptions(answered, outcome, assignment.request, {
          url: assignment.url,
          now: now(),
          mask,
          assertions: assignment.assertions,
        })
  const mayWait = owner === 'account' && deadlineMs < timeoutsOf(intervalSeconds).alone * 1_000
  const said = withRedirects(judged, outcome, message)
  return slowCauses.has(judged.cause) && mayWait ? { ...said, reason: `${said.reason}: ${slowHint}` } : said
}

/** A failure behind a redirect says what was not sent again, which may be its reason (S-3802, S-3860). */
const withRedirects = (
  judged: Judgement,
  { leftOut = [], method = 'GET' }: Outcome,
  sent: Message | undefined,
): Judgement => {
  const isTurned = sent !== undefined && sent.method !== method
  if (judged.fault !== 'target' || judged.reason === null) return judged
  const parts = [
    judged.reason,
    ...(isTurned ? [turnedInto(sent, method)] : []),
    ...(leftOut.length > 0 ? [followedWithout(leftOut)] : []),
  ]
  return parts.length === 1 ? judged : { ...judged, reason: cutReason(parts.join('; ')) }
}

const slowHint = 'it is slow or hangs; you can raise the timeout of the check'

/**
 * Evidence that outages may share, and notes. A check of an account without either has none. `addNameServers`
 * adds the name servers later: they take no part in an attempt.
 */
const detailsOf = (
  outcome: Outcome,
  owner: HttpAssignment['owner'],
  traceId: string | null,
): ReadingDetails | null => {
  const cdn = outcome.ok ? cdnOf(outcome.headers) : null
  if (owner !== 'catalog' && cdn === null && outcome.notes.length === 0 && traceId === null) return null
  return {
    type: 'http',
    cdn,
    nameServers: [],
    ...notesOf(outcome),
    ...(traceId !== null && { traceId }),
  }
}

/** For a reason. That of a request without an answer may have the name of a redirect, which another host wrote. */
export const lastMask = (outcome: Outcome, own: string, masks: Masks): Mask => {
  const { ok, url = own, redirectedBy } = outcome
  return masks.of(ok ? url : (redirectedBy ?? url))
}

/** Notes for details: absent when empty. */
export const notesOf = ({ notes }: Pick<Outcome, 'notes'>): { notes?: string[] } =>
  notes.length === 0 ? {} : { notes: notes.slice(0, limits.readingNotesMax) }
